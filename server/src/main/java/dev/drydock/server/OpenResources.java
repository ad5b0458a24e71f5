package dev.drydock.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was opened, to be closed in reverse order; what fails to close does not keep the rest open.
 */
final class OpenResources implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OpenResources.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Remembers and answers it. */
  synchronized <T extends AutoCloseable> T add(T one) {
    opened.push(one);
    return one;
  }

  @Override
  public synchronized void close() {
    while (!opened.isEmpty()) {
      AutoCloseable one = opened.pop();
      try {
        one.close();
      } catch (Exception failed) {
        log.warn("{} did not close", one.getClass().getSimpleName(), failed);
      }
    }
  }
}
