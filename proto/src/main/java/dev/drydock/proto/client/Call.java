package dev.drydock.proto.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One request as the transport sends it.
 *
 * @param path path and query below {@code /api/}, already encoded
 * @param body JSON, or null for none
 * @param retryBudget how long it may be repeated while no answer comes; zero for what must not be
 *     repeated
 */
record Call(String method, String path, @Nullable String body, Duration retryBudget) {
  static Call get(String path, Duration retryBudget) {
    return new Call("GET", path, null, retryBudget);
  }

  static Call delete(String path, Duration retryBudget) {
    return new Call("DELETE", path, null, retryBudget);
  }
}
