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
 * @param serverWaits how long the server may wait by itself before it answers; an attempt may take
 *     so much longer
 */
record Call(
    String method, String path, @Nullable String body, Duration retryBudget, Duration serverWaits) {
  Call(String method, String path, @Nullable String body, Duration retryBudget) {
    this(method, path, body, retryBudget, Duration.ZERO);
  }

  static Call get(String path, Duration retryBudget) {
    return new Call("GET", path, null, retryBudget);
  }

  static Call delete(String path, Duration retryBudget) {
    return new Call("DELETE", path, null, retryBudget);
  }
}
