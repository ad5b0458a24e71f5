package dev.drydock.lock.soak;

import dev.drydock.lock.soak.Api.Answer;
import dev.drydock.lock.soak.Api.NoAnswerException;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What clients ask of the API, repeated until its outcome is known. Confined to one thread. */
final class Calls {
  /** For the answer to one call; faults end before. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final int PAUSE_MILLIS = 200;

  private final Api api;

  Calls(Api api) {
    this.api = api;
  }

  /** A place in the queue, or what it came to. */
  record Taken(String id, long sent) {}

  /**
   * Asks for hosts; a try is decided then.
   *
   * @param request with an id of its own
   * @return the ticket, and when the attempt was sent that was answered
   */
  Taken take(Map<String, Object> request) {
    long[] sent = new long[1];
    Answer answer =
        repeat(
            () -> {
              sent[0] = SoakHistory.now();
              return api.call("POST", "/api/locks", Json.writeTree(request), Api.TRY_ANSWER);
            },
            PATIENCE);
    return new Taken(answer.id().orElseThrow(answer::unexpected), sent[0]);
  }

  /** Where the ticket stands; empty when the server has forgotten it. */
  Optional<Place> find(String id) {
    Answer answer = repeat(() -> api.call("GET", "/api/locks/" + id, ""), PATIENCE);
    if (answer.status() == 404) {
      return Optional.empty();
    }
    return Optional.of(Place.of(expected(answer).document()));
  }

  /**
   * Renews a place or a lock.
   *
   * @return false when there is none any more that could be
   * @throws NoAnswerException when the outcome stays unknown for that long
   */
  boolean renew(String id, Duration patience) {
    Answer answer =
        repeat(() -> api.call("POST", "/api/locks/" + id + "?action=renew", "{}"), patience);
    return answer.status() != 404 && answer.status() != 409 && expected(answer).ok();
  }

  /** Leaves the queue or ends the lock. */
  void leave(String id, String reason) {
    Answer answer =
        repeat(() -> api.call("DELETE", "/api/locks/" + id + "?reason=" + reason, ""), PATIENCE);
    if (answer.status() != 404) { // What was forgotten is over.
      expected(answer);
    }
  }

  /** Whether the host of a FleetLock client may reboot; each attempt by another server. */
  Answer preReboot(String host) {
    return repeat(
        () -> {
          api.another();
          return api.call("POST", "/v1/pre-reboot", fleetLock(host));
        },
        PATIENCE);
  }

  void steadyState(String host) {
    expected(repeat(() -> api.call("POST", "/v1/steady-state", fleetLock(host)), PATIENCE));
  }

  private static String fleetLock(String host) {
    return Json.writeTree(Map.of("client_params", Map.of("id", host, "group", "soak")));
  }

  /** The id of the FleetLock hold on a host, if there is one, and where it stands. */
  Optional<Map<String, Object>> fleetLockOn(String host) {
    Answer answer = repeat(() -> api.call("GET", "/api/locks?q=host&host=" + host, ""), PATIENCE);
    return ((List<?>) expected(answer).document().getOrDefault("elements", List.of()))
        .stream()
            .map(Calls::object)
            .filter(
                lock -> "FleetLock".equals(lock.get("kind")) && "Held".equals(lock.get("state")))
            .findFirst();
  }

  @SuppressWarnings("unchecked") // JSON objects have names.
  private static Map<String, Object> object(Object found) {
    return (Map<String, Object>) found;
  }

  /** Freezes the fleet; the reason of the brake in force. */
  String freeze(String reason) {
    String body = Json.writeTree(Map.of("reason", reason));
    while (true) {
      Answer answer = repeat(() -> api.call("PUT", "/api/freeze", body), PATIENCE);
      if (answer.ok()) {
        return reason;
      }
      if (answer.status() != 409) {
        throw answer.unexpected();
      }
      Map<String, Object> inForce =
          expected(repeat(() -> api.call("GET", "/api/freeze", ""), PATIENCE)).document();
      if (Boolean.TRUE.equals(inForce.get("frozen"))) {
        return String.valueOf(inForce.get("reason"));
      }
    }
  }

  /** Whichever is in force: any of the clients may have pulled it. */
  void unfreeze() {
    Answer answer =
        repeat(() -> api.call("DELETE", "/api/freeze?reason=it%20is%20over", ""), PATIENCE);
    if (answer.status() != 409) { // Somebody else lifted that one, and there is another.
      expected(answer);
    }
  }

  private static Answer expected(Answer answer) {
    if (!answer.ok()) {
      throw answer.unexpected();
    }
    return answer;
  }

  private static <T> T repeat(Supplier<T> call, Duration patience) {
    long end = SoakHistory.now() + patience.toNanos();
    while (true) {
      try {
        return call.get();
      } catch (NoAnswerException none) {
        if (SoakHistory.now() - end > 0) {
          throw none;
        }
        pause(PAUSE_MILLIS);
      }
    }
  }

  static void pause(int millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }
}
