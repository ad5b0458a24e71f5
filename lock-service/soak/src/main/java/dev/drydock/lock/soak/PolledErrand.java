package dev.drydock.lock.soak;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.EtcdRefusedException;
import dev.drydock.lock.etcd.Standing;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A hold with a maximum, as FleetLock clients have it: granted while its client polls, without a
 * lease. Nobody may take it before its maximum went by, whatever clocks show; half of the clients
 * stay until somebody does. It tells what {@link Errand} tells, but never renews.
 */
final class PolledErrand implements Runnable {
  private static final int WAIT_SECONDS = 20;
  private static final int LOOKS_OF_A_POLL = 4;
  private static final int AT_HOME = 50;

  /** The faults set clocks wrong: a poll is over when it is taken back, and at no time. */
  private static final Instant OPEN = Instant.now().plus(Duration.ofDays(1));

  private final Tools tools;
  private final Random random;
  private final String id;
  private final int maxSeconds;

  /** It was not granted before: its maximum counts from then on at least. */
  private long notGranted;

  PolledErrand(Tools tools, int number) {
    this.tools = tools;
    random = tools.random();
    id = tools.name() + "-" + number;
    maxSeconds = 3 + random.nextInt(6);
  }

  @Override
  public void run() {
    try {
      take();
      Optional<LockRecord> held = poll();
      held.ifPresent(this::hold);
    } catch (UnknownOutcomeException unknown) {
      tell("unknown", Map.of("reason", String.valueOf(unknown.getMessage())));
    } catch (EtcdRefusedException refused) {
      tell("refused", Map.of("reason", String.valueOf(refused.getMessage())));
    }
  }

  private void take() {
    String host = tools.settings().places().draw(random, AT_HOME).getFirst();
    Ticket ticket =
        new Ticket(
                id,
                Mode.FLEETLOCK,
                List.of(host),
                List.of(),
                tools.name(),
                "soak",
                deadline(),
                WAIT_SECONDS,
                0)
            .lasting(maxSeconds);
    notGranted = History.now();
    tell("take", Map.of("hosts", ticket.hosts(), "mode", ticket.mode().name()));
    Errand.repeat(
        () -> {
          tools.polled().submit(ticket);
          return true;
        },
        Errand.PATIENCE);
    tell("took", Map.of());
  }

  /** Poll after poll, until it has its host; empty when it never will. */
  private Optional<LockRecord> poll() {
    while (true) {
      Errand.repeat(() -> tools.polled().ask(id, deadline(), OPEN), Errand.PATIENCE);
      for (int look = 0; look < LOOKS_OF_A_POLL; look++) {
        Errand.pause(100 + random.nextInt(200));
        long asked = History.now();
        Optional<Standing> standing = Errand.repeat(() -> tools.desk().find(id), Errand.PATIENCE);
        switch (standing.orElse(null)) {
          case Standing.Held held -> {
            return Optional.of(held.locks().getFirst());
          }
          case Standing.Waiting waiting -> notGranted = asked;
          case null, default -> {
            tell("over", Map.of("reason", "it had to wait unseen for too long"));
            return Optional.empty();
          }
        }
      }
      close();
    }
  }

  private void close() {
    Errand.repeat(
        () -> {
          tools.polled().close(id, deadline(), OPEN);
          return true;
        },
        Errand.PATIENCE);
  }

  private Instant deadline() {
    return tools.clock().instant().plusSeconds(WAIT_SECONDS);
  }

  private void hold(LockRecord lock) {
    long until = notGranted + Duration.ofSeconds(maxSeconds).toNanos();
    Map<String, Long> tokens = Map.of(lock.host(), lock.token());
    tell("held", Map.of("errand", id, "tokens", tokens, "until", until, "hold", true));
    boolean stays = random.nextBoolean() && !tools.draining().getAsBoolean();
    int rounds = 1 + random.nextInt(20);
    for (int round = 0; stays || round < rounds; round++) {
      if (History.now() - until < 0 && !tools.register().effect(lock.host(), lock.token(), id)) {
        tell("stale", Map.of("host", lock.host(), "token", lock.token()));
        return;
      }
      Errand.pause(80 + random.nextInt(80));
      if (!stillHeld()) {
        tell("lost", Map.of());
        return;
      }
    }
    tell("release", Map.of());
    Errand.repeat(() -> tools.desk().leave(id, tools.name(), "done"), Errand.PATIENCE);
    tell("released", Map.of());
  }

  private boolean stillHeld() {
    return Errand.repeat(() -> tools.desk().find(id), Errand.PATIENCE).orElse(null)
        instanceof Standing.Held;
  }

  private void tell(String what, Map<String, Object> details) {
    tools.history().tell(tools.name(), what, id, details);
  }
}
