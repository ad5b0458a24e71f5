package dev.drydock.lock.soak;

import dev.drydock.lock.soak.Api.NoAnswerException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A client at work on hosts it has: effect after effect with its tokens, renewing its lease on the
 * way, until it is done (at once, when the run ends), dies, or learns that the hosts are not its
 * own any more. Half of the clients do not watch their own deadline (stubborn ones never do, and
 * hold long); what they do too late is for the register to refuse.
 */
final class HoldTask {
  private static final Duration LAST_RENEWAL = Duration.ofSeconds(3);

  private final ClientTools clientTools;
  private final String id;
  private final HeldLocks heldLocks;
  private final long lease;
  private final boolean stubborn;
  private final boolean watchesDeadline;
  private long sent;

  HoldTask(ClientTools clientTools, String id, int leaseSeconds, HeldLocks heldLocks) {
    this.clientTools = clientTools;
    this.id = id;
    this.heldLocks = heldLocks;
    sent = heldLocks.sent();
    lease = Duration.ofSeconds(leaseSeconds).toNanos();
    stubborn = clientTools.settings().number("stubborn") > 0;
    watchesDeadline = clientTools.random().nextBoolean() && !stubborn;
  }

  void run() {
    tell(
        "held",
        Map.of(
            "errand",
            heldLocks.errand(),
            "tokens",
            heldLocks.hosts().stream()
                .collect(Collectors.toMap(host -> host, host -> heldLocks.token())),
            "sent",
            sent,
            "until",
            until()));
    Random random = clientTools.random();
    boolean dies = random.nextInt(30) == 0;
    // Many short ones for many grants, long ones for faults to meet them, some longer than a lease.
    boolean isLong = stubborn || random.nextInt(5) < 2;
    int rounds = isLong ? 30 + random.nextInt(100) : 1 + random.nextInt(12);
    for (int round = 0; round < rounds && !clientTools.draining().getAsBoolean(); round++) {
      if (watchesDeadline && SoakHistory.now() - until() > 0) {
        break;
      }
      if (!effects() || (SoakHistory.now() - sent > lease / 3 && !renew())) {
        return;
      }
      Calls.pause(30 + random.nextInt(50));
    }
    if (dies && !clientTools.draining().getAsBoolean()) {
      tell("vanished", Map.of());
      return;
    }
    release();
  }

  private long until() {
    return Math.min(sent + lease, heldLocks.end());
  }

  private boolean effects() {
    for (String host : heldLocks.hosts()) {
      if (!clientTools.register().effect(host, heldLocks.token(), id)) {
        tell("stale", Map.of("host", host, "token", heldLocks.token()));
        return false;
      }
    }
    return true;
  }

  private boolean renew() {
    long now = SoakHistory.now();
    try {
      if (clientTools.calls().renew(id, LAST_RENEWAL)) {
        sent = now;
        tell("renewed", Map.of("sent", sent, "until", until()));
        return true;
      }
    } catch (NoAnswerException unknown) {
      return true; // The deadline stays where it was.
    }
    tell("lost", Map.of());
    return false;
  }

  private void release() {
    tell("release", Map.of());
    clientTools.calls().leave(id, "done");
    tell("released", Map.of());
  }

  private void tell(String what, Map<String, Object> details) {
    clientTools.tell(what, id, details);
  }
}
