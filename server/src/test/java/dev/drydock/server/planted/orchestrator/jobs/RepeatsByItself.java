package dev.drydock.server.planted.orchestrator.jobs;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A duty that ends with the first round that throws. */
record RepeatsByItself(ScheduledExecutorService timer, Runnable duty) {
  void start() {
    timer.scheduleWithFixedDelay(duty, 1, 1, TimeUnit.SECONDS);
  }
}
