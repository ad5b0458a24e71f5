package dev.drydock.lock.soak;

import java.util.List;
import java.util.Map;

/**
 * Where a request for hosts stands, as the API tells it.
 *
 * @param token of each of its hosts; 0 while it has none
 */
record Place(String state, List<String> hosts, long token, boolean alive, String explanation) {

  static Place of(Map<String, Object> lock) {
    return new Place(
        String.valueOf(lock.get("state")),
        ((List<?>) lock.getOrDefault("hosts", List.of())).stream().map(String::valueOf).toList(),
        lock.get("token") instanceof Number token ? token.longValue() : 0,
        !Boolean.FALSE.equals(lock.get("alive")),
        String.valueOf(lock.getOrDefault("explanation", "")));
  }

  boolean waits() {
    return state.equals("Waiting");
  }

  /** Whether its client may believe in it. */
  boolean held() {
    return state.equals("Held") && alive;
  }

  /** It is over, or its client has to stop. */
  boolean lost() {
    return (state.equals("Held") && !alive) || state.equals("Lapsed");
  }
}
