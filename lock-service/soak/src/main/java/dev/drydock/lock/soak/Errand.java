package dev.drydock.lock.soak;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.EtcdRefusedException;
import dev.drydock.lock.etcd.Standing;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One ticket of one client, from taking it to whatever end it comes to. What it does is drawn from
 * its random numbers; what it saw is in the history, in this order:
 *
 * <pre>
 *   take     about to take the ticket: hosts, mode
 *   took     the ticket is known to be in the queue
 *   held     it has the hosts: tokens, sent (before the answer was asked for), until (its own deadline)
 *   renewed  its lease goes on: sent, until
 *   stale    the register refused an effect: host
 *   release  about to release
 *   released
 *   leave    about to leave the queue without a lock, followed by left
 *   vanished the client is dead from now on, without a word
 *   over     the ticket was turned away: reason
 *   lost     the lock is not its own any more
 *   unknown  the call (doing) had no known outcome within the client's patience
 * </pre>
 */
final class Errand implements Runnable {
  /** For the answer to one call; faults end before. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final int WAIT_SECONDS = 120;

  private static final int AT_HOME = 2;

  private final Tools tools;
  private final Random random;
  private final String id;
  private final int leaseSeconds;
  private final int maxSeconds;
  private final long renewAfter;

  /** The lock was not granted before: whoever has a maximum has it from then on at least. */
  private long notGranted;

  Errand(Tools tools, int number) {
    this.tools = tools;
    random = tools.random();
    id = tools.name() + "-" + number;
    leaseSeconds = tools.settings().number("leaseSeconds");
    maxSeconds = maxSeconds();
    renewAfter = Duration.ofSeconds(leaseSeconds).toNanos() / 3;
  }

  @Override
  public void run() {
    try {
      take();
      awaitTurn().ifPresent(held -> new Hold(tools, id, leaseSeconds, held).run());
    } catch (UnknownOutcomeException unknown) {
      tell("unknown", Map.of("reason", String.valueOf(unknown.getMessage())));
    } catch (EtcdRefusedException refused) {
      tell("refused", Map.of("reason", String.valueOf(refused.getMessage())));
    }
  }

  private void take() {
    Ticket ticket = ticket();
    notGranted = History.now();
    tell("take", Map.of("hosts", ticket.hosts(), "mode", ticket.mode().name()));
    repeat(() -> tools.desk().submit(ticket, Duration.ofSeconds(2L * leaseSeconds)));
    tell("took", Map.of());
  }

  /** Half declare a maximum: some that end while they hold, some that may go before others. */
  private int maxSeconds() {
    if (tools.settings().number("stubborn") > 0) {
      return 0;
    }
    return switch (random.nextInt(6)) {
      case 0 -> 4;
      case 1 -> 10;
      case 2 -> 60;
      default -> 0;
    };
  }

  private Ticket ticket() {
    Ticket ticket =
        new Ticket(
            id,
            oneIn(8) ? Mode.TRY : Mode.WAIT,
            tools.settings().places().draw(random, AT_HOME),
            List.of(),
            tools.name(),
            "soak",
            tools.clock().instant().plusSeconds(WAIT_SECONDS),
            WAIT_SECONDS,
            leaseSeconds);
    return ticket.lasting(maxSeconds);
  }

  /** The standing with which the client may begin its work; empty when there will be none. */
  private Optional<Held> awaitTurn() {
    boolean givesUp = oneIn(30);
    boolean vanishes = oneIn(40);
    long renewed = History.now();
    while (true) {
      pause(200 + random.nextInt(200));
      long sent = History.now();
      boolean renews = sent - renewed > renewAfter;
      Optional<Standing> standing =
          repeat(() -> renews ? tools.desk().renew(id) : tools.desk().find(id));
      if (renews) {
        renewed = sent;
      }
      if (standing.isEmpty()) {
        tell("over", Map.of("reason", "forgotten"));
        return Optional.empty();
      }
      switch (standing.get()) {
        case Standing.Over over -> {
          tell("over", Map.of("reason", over.note().reason()));
          return Optional.empty();
        }
        case Standing.Held held when held.expired() -> {
          tell("lost", Map.of());
          return Optional.empty();
        }
        case Standing.Held held -> {
          return confirmed();
        }
        case Standing.Waiting waiting when vanishes && !tools.draining().getAsBoolean() -> {
          tell("vanished", Map.of());
          return Optional.empty();
        }
        case Standing.Waiting waiting when givesUp -> {
          tell("leave", Map.of());
          repeat(() -> tools.desk().leave(id, tools.name(), "gave up"));
          tell("left", Map.of());
          return Optional.empty();
        }
        case Standing.Waiting waiting -> notGranted = sent;
      }
    }
  }

  /** How long the lock has been granted is not known: only a renewal says until when it is held. */
  private Optional<Held> confirmed() {
    while (true) {
      long sent = History.now();
      Optional<Standing> standing = repeat(() -> tools.desk().renew(id));
      if (History.now() - sent > Duration.ofSeconds(leaseSeconds).toNanos()) {
        continue; // It took too long to say anything.
      }
      if (standing.isPresent() && standing.get() instanceof Standing.Held held && !held.expired()) {
        return Optional.of(new Held(held.locks(), sent, end()));
      }
      tell("lost", Map.of());
      return Optional.empty();
    }
  }

  private long end() {
    return maxSeconds == 0 ? Long.MAX_VALUE : notGranted + Duration.ofSeconds(maxSeconds).toNanos();
  }

  /** Repeats what may be repeated until its outcome is known. */
  private <T> T repeat(Supplier<T> call) {
    return repeat(call, PATIENCE);
  }

  static <T> T repeat(Supplier<T> call, Duration patience) {
    long end = History.now() + patience.toNanos();
    while (true) {
      try {
        return call.get();
      } catch (UnknownOutcomeException unknown) {
        if (History.now() - end > 0) {
          throw unknown;
        }
      }
    }
  }

  private void tell(String what, Map<String, Object> details) {
    tools.history().tell(tools.name(), what, id, details);
  }

  private boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  static void pause(int millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }
}
