package dev.drydock.adapter.fixed;

import java.time.Duration;

/** Waits between two looks; tests let time pass instead. */
interface Pace {
  void pause(Duration duration) throws InterruptedException;

  static Pace real() {
    return Thread::sleep;
  }
}
