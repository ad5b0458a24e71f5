package dev.drydock.lock.soak;

import dev.drydock.lock.soak.Api.Answer;
import dev.drydock.lock.soak.Api.NoAnswerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A host that asks by FleetLock whether it may reboot: granted a hold while one of its polls is
 * open, without a lease. Nobody may take it before its maximum went by, whatever clocks show; half
 * of the clients stay until somebody does. It tells what {@link TicketTask} tells, but never
 * renews.
 */
final class PolledTask implements Runnable {
  private final ClientTools clientTools;
  private final Random random;
  private final String name;
  private final String host;
  private final int maxSeconds;

  /** It was not granted before: its maximum counts from then on at least. */
  private long notGranted;

  /**
   * One reboot.
   *
   * @param hosts of this client alone: the same host gets the same answer
   */
  PolledTask(ClientTools clientTools, int number, List<String> hosts) {
    this.clientTools = clientTools;
    random = clientTools.random();
    name = clientTools.name() + "-" + number;
    host = hosts.get(random.nextInt(hosts.size()));
    maxSeconds = clientTools.settings().number("rebootSeconds");
  }

  @Override
  public void run() {
    notGranted = SoakHistory.now();
    clientTools.tell("take", name, Map.of("hosts", List.of(host), "mode", "FLEETLOCK"));
    poll();
    Optional<Map<String, Object>> hold = insist(() -> clientTools.calls().fleetLockOn(host));
    if (hold.isPresent()) {
      hold(String.valueOf(hold.get().get("id")), Place.of(hold.get()).token());
    } else {
      clientTools.tell(
          "over", name, Map.of("reason", "its maximum was over before it heard of it"));
    }
  }

  /** Poll after poll, until it has its host. */
  private void poll() {
    while (true) {
      long sent = SoakHistory.now();
      Answer answer = insist(() -> clientTools.calls().preReboot(host));
      if (answer.ok()) {
        return;
      }
      if (answer.status() != 409) {
        throw answer.unexpected();
      }
      notGranted = sent;
      Calls.pause(100 + random.nextInt(300));
    }
  }

  private void hold(String id, long token) {
    long until = notGranted + Duration.ofSeconds(maxSeconds).toNanos();
    Map<String, Long> tokens = Map.of(host, token);
    clientTools.tell(
        "held", id, Map.of("errand", name, "tokens", tokens, "until", until, "hold", true));
    boolean stays = random.nextBoolean() && !clientTools.draining().getAsBoolean();
    int rounds = 1 + random.nextInt(20);
    for (int round = 0; stays || round < rounds; round++) {
      if (SoakHistory.now() - until < 0 && !clientTools.register().effect(host, token, id)) {
        clientTools.tell("stale", id, Map.of("host", host, "token", token));
        return;
      }
      Calls.pause(80 + random.nextInt(80));
      if (!insist(() -> clientTools.calls().find(id)).map(Place::held).orElse(false)) {
        clientTools.tell("lost", id, Map.of());
        return;
      }
    }
    clientTools.tell("release", id, Map.of());
    insist(
        () -> {
          clientTools.calls().steadyState(host);
          return true;
        });
    clientTools.tell("released", id, Map.of());
  }

  /** A host does not give up: what it was granted unheard it would be told again. */
  private <T> T insist(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (NoAnswerException unknown) {
        clientTools.tell("unknown", name, Map.of("reason", String.valueOf(unknown.getMessage())));
      }
    }
  }
}
