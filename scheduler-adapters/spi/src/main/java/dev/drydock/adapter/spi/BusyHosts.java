package dev.drydock.adapter.spi;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which hosts are worked on by this process: one thing per host at a time, and so many of each kind
 * at once. Thread-safe.
 */
final class BusyHosts {
  private final int most;
  private final Map<String, List<?>> kinds = new HashMap<>();

  /**
   * @param most of each kind
   */
  BusyHosts(int most) {
    this.most = most;
  }

  /** False where something is done to the host already, or the kind has no slot left. */
  synchronized boolean occupy(String host, List<?> kind) {
    if (free(kind) == 0 || kinds.containsKey(host)) {
      return false;
    }
    kinds.put(host, kind);
    return true;
  }

  synchronized void leave(String host) {
    kinds.remove(host);
  }

  synchronized int free(List<?> kind) {
    return most - (int) kinds.values().stream().filter(kind::equals).count();
  }
}
