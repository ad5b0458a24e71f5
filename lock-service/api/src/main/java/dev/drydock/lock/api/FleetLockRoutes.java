package dev.drydock.lock.api;

import dev.drydock.platform.http.PostRoute;
import dev.drydock.platform.http.PostRoute.Message;
import dev.drydock.platform.http.PostRoute.Reply;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The wire of FleetLock: {@code {"client_params":{"id":…,"group":…}}} in, 200 or {@code
 * {"kind":…,"value":…}} out. Open to operators and to consumers of the topic {@code fleetlock},
 * which a token for hosts should be.
 */
final class FleetLockRoutes {
  private static final String TOPIC = "fleetlock";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final Pattern GROUP = Pattern.compile("[A-Za-z0-9.-]{1,100}");

  private final FleetLock fleetLock;

  FleetLockRoutes(FleetLock fleetLock) {
    this.fleetLock = fleetLock;
  }

  List<PostRoute> routes() {
    return List.of(
        new PostRoute("/v1/pre-reboot", message -> answer(message, this::lock)),
        new PostRoute("/v1/steady-state", message -> answer(message, this::unlock)));
  }

  private record Client(String id, String group) {}

  @FunctionalInterface
  private interface Call {
    FleetLock.Outcome of(Principal principal, Client client);
  }

  private FleetLock.Outcome lock(Principal principal, Client client) {
    return fleetLock.lock(principal, client.id(), client.group());
  }

  private FleetLock.Outcome unlock(Principal principal, Client client) {
    return fleetLock.unlock(principal, client.id());
  }

  private static Reply answer(Message message, Call call) {
    Principal principal = message.principal();
    boolean may = principal.role() == Role.OPERATOR || principal.consumes(TOPIC);
    if (!may) {
      return error(
          403,
          "forbidden",
          principal.name() + " is neither an operator nor a consumer of the topic " + TOPIC);
    }
    if (!"true".equals(message.headers().get("fleet-lock-protocol"))) {
      return error(400, "missing_header", "send the header fleet-lock-protocol: true");
    }
    Client client;
    try {
      client = client(message.body());
    } catch (InvalidRecordException malformed) {
      return error(400, "bad_request", String.valueOf(malformed.getMessage()));
    }
    return switch (call.of(principal, client)) {
      case FleetLock.Outcome.Done() -> new Reply(200, "{}");
      case FleetLock.Outcome.NotYet(String why) -> error(409, "failed_lock", why);
      case FleetLock.Outcome.Refused(String kind, String why) ->
          error(kind.equals("unknown_host") ? 404 : 409, kind, why);
    };
  }

  private static Client client(String body) {
    if (!(Json.readTree(body).get("client_params") instanceof Map<?, ?> parameters)) {
      throw wrong("client_params has to be an object with id and group");
    }
    return new Client(
        text(parameters.get("id"), ID, "id"), text(parameters.get("group"), GROUP, "group"));
  }

  private static String text(@Nullable Object found, Pattern allowed, String name) {
    if (found instanceof String text && allowed.matcher(text).matches()) {
      return text;
    }
    throw wrong("client_params." + name + " has to match " + allowed);
  }

  private static InvalidRecordException wrong(String message) {
    return new InvalidRecordException(message, List.of());
  }

  private static Reply error(int status, String kind, String value) {
    return new Reply(status, Json.writeTree(Map.of("kind", kind, "value", value)));
  }
}
