package dev.drydock.adapter.staticlist;

import java.time.Duration;

/** Waits between two looks; tests let time pass instead. */
interface PollDelay {
  void pause(Duration duration) throws InterruptedException;

  static PollDelay real() {
    return Thread::sleep;
  }
}
