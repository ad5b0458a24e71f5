package dev.drydock.lock.soak;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.etcd.Standing;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A client at work on hosts it has: effect after effect with its tokens, renewing its lease on the
 * way, until it is done (at once, when the run ends), dies, or learns that the hosts are not its
 * own any more. Half of the clients do not watch their own deadline (stubborn ones never do, and
 * hold long); what they do too late is for the register to refuse.
 */
final class Hold {
  private static final Duration LAST_RENEWAL = Duration.ofSeconds(3);
  private static final Duration RELEASE = Duration.ofSeconds(120);

  private final Tools tools;
  private final String id;
  private final List<LockRecord> locks;
  private final long lease;
  private final long end;
  private final boolean stubborn;
  private final boolean watchesDeadline;
  private long sent;

  Hold(Tools tools, String id, int leaseSeconds, Held held) {
    this.tools = tools;
    this.id = id;
    locks = held.locks();
    sent = held.sent();
    end = held.end();
    lease = Duration.ofSeconds(leaseSeconds).toNanos();
    stubborn = tools.settings().number("stubborn") > 0;
    watchesDeadline = tools.random().nextBoolean() && !stubborn;
  }

  void run() {
    tell(
        "held",
        Map.of(
            "errand",
            id,
            "tokens",
            locks.stream().collect(Collectors.toMap(LockRecord::host, LockRecord::token)),
            "sent",
            sent,
            "until",
            until()));
    Random random = tools.random();
    boolean dies = random.nextInt(30) == 0;
    // Many short ones for many grants, long ones for faults to meet them, some longer than a lease.
    boolean isLong = stubborn || random.nextInt(5) < 2;
    int rounds = isLong ? 30 + random.nextInt(100) : 1 + random.nextInt(12);
    for (int round = 0; round < rounds && !tools.draining().getAsBoolean(); round++) {
      if (watchesDeadline && History.now() - until() > 0) {
        break;
      }
      if (!effects() || (History.now() - sent > lease / 3 && !renew())) {
        return;
      }
      Errand.pause(30 + random.nextInt(50));
    }
    if (dies && !tools.draining().getAsBoolean()) {
      tell("vanished", Map.of());
      return;
    }
    release();
  }

  private long until() {
    return Math.min(sent + lease, end);
  }

  private boolean effects() {
    for (LockRecord lock : locks) {
      if (!tools.register().effect(lock.host(), lock.token(), id)) {
        tell("stale", Map.of("host", lock.host(), "token", lock.token()));
        return false;
      }
    }
    return true;
  }

  private boolean renew() {
    long now = History.now();
    Optional<Standing> standing;
    try {
      standing = Errand.repeat(() -> tools.desk().renew(id), LAST_RENEWAL);
    } catch (UnknownOutcomeException unknown) {
      return true; // The deadline stays where it was.
    }
    if (standing.isPresent() && standing.get() instanceof Standing.Held held && !held.expired()) {
      sent = now;
      tell("renewed", Map.of("sent", sent, "until", until()));
      return true;
    }
    tell("lost", Map.of());
    return false;
  }

  private void release() {
    tell("release", Map.of());
    Errand.repeat(() -> tools.desk().leave(id, tools.name(), "done"), RELEASE);
    tell("released", Map.of());
  }

  private void tell(String what, Map<String, Object> details) {
    tools.history().tell(tools.name(), what, id, details);
  }
}
