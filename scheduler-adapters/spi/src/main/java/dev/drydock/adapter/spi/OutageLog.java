package dev.drydock.adapter.spi;

import org.slf4j.Logger;

/**
 * Says once that something does not work and once that it works again, however often it is tried.
 * Not thread-safe.
 */
final class OutageLog {
  private final Logger log;
  private final String what;
  private int failures;

  OutageLog(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  void failed(RuntimeException e) {
    if (failures++ == 0) {
      log.warn("{} fails, trying on: {}", what, e.getMessage());
    }
  }

  void worked() {
    if (failures > 0) {
      log.info("{} works again after {} failures", what, failures);
      failures = 0;
    }
  }

  /** How long to wait before the next try: longer with each failure. */
  long pauseMillis(long usual) {
    return failures == 0 ? usual : Math.min(2000, usual * (1L << Math.min(failures, 6)));
  }
}
