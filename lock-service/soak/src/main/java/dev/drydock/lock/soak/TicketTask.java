package dev.drydock.lock.soak;

import dev.drydock.lock.soak.Api.NoAnswerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * One ticket of one client, from taking it to whatever end it comes to. What it does is drawn from
 * its random numbers; what it saw is in the history, in this order:
 *
 * <pre>
 *   take     about to take the ticket: hosts, mode, seconds (for how long it will wait)
 *   took     the ticket is known to be in the queue, or decided; its id is told from here on
 *   held     the task, tokens, sent (before the answer was asked for), until (its own deadline)
 *   renewed  its lease goes on: sent, until
 *   stale    the register refused an effect: host
 *   release  about to release
 *   released
 *   leave    about to leave the queue without a lock, followed by left
 *   gave up  it was not served for as long as it was to wait: reason
 *   vanished the client is dead from now on, without a word
 *   over     the ticket was turned away: reason
 *   lost     the lock is not its own any more
 *   unknown  a call had no known outcome within the client's patience
 * </pre>
 *
 * <p>Servers tell {@code refused} beside that: what etcd does not take of them.
 */
final class TicketTask implements Runnable {
  private static final int AT_HOME = 5;

  /** Longer than any run: who is never served still waits at its end. */
  private static final int PATIENT_SECONDS = 3600;

  private final ClientTools clientTools;
  private final Random random;
  private final String name;
  private final int leaseSeconds;
  private final int maxSeconds;
  private final int patience;
  private final boolean tries;
  private final long renewAfter;

  /**
   * The lock was not granted before this moment, so its maximum counts from here at the earliest.
   */
  private long notGranted;

  private String id;

  TicketTask(ClientTools clientTools, int number) {
    this.clientTools = clientTools;
    random = clientTools.random();
    name = clientTools.name() + "-" + number;
    id = name;
    leaseSeconds = clientTools.settings().number("leaseSeconds");
    maxSeconds = maxSeconds();
    tries = oneIn(8);
    patience = oneIn(12) ? 2 + random.nextInt(5) : PATIENT_SECONDS;
    renewAfter = Duration.ofSeconds(leaseSeconds).toNanos() / 3;
  }

  @Override
  public void run() {
    try {
      long sent = take();
      awaitTurn(sent).ifPresent(held -> new HoldTask(clientTools, id, leaseSeconds, held).run());
    } catch (NoAnswerException unknown) {
      tell("unknown", Map.of("reason", String.valueOf(unknown.getMessage())));
    }
  }

  private long take() {
    List<String> hosts = clientTools.settings().places().draw(random, AT_HOME);
    String mode = tries ? "Try" : "Wait";
    notGranted = SoakHistory.now();
    clientTools.tell(
        "take",
        name,
        Map.of("hosts", hosts, "mode", tries ? "TRY" : "WAIT", "seconds", tries ? 0 : patience));
    Calls.Taken taken =
        clientTools
            .calls()
            .take(
                Map.of(
                    "requestId",
                    name,
                    "hosts",
                    hosts,
                    "mode",
                    mode,
                    "reason",
                    "soak",
                    "waitSeconds",
                    2 * leaseSeconds,
                    "leaseSeconds",
                    leaseSeconds,
                    "maxSeconds",
                    maxSeconds));
    id = taken.id();
    tell("took", Map.of("errand", name));
    return taken.sent();
  }

  /** Half declare a maximum: some that end while they hold, some that may go before others. */
  private int maxSeconds() {
    if (clientTools.settings().number("stubborn") > 0) {
      return 0;
    }
    return switch (random.nextInt(6)) {
      case 0 -> 4;
      case 1 -> 10;
      case 2 -> 60;
      default -> 0;
    };
  }

  /**
   * The standing with which the client may begin its work; empty when there will be none.
   *
   * @param taken when the request was sent: the lease of a try that was granted began later
   */
  private Optional<HeldLocks> awaitTurn(long taken) {
    boolean vanishes = oneIn(40);
    long began = SoakHistory.now();
    long renewed = began;
    while (true) {
      Calls.pause(tries ? 0 : 300 + random.nextInt(400));
      long sent = SoakHistory.now();
      if (sent - renewed > renewAfter) {
        clientTools.calls().renew(id, Calls.PATIENCE);
        renewed = sent;
      }
      Optional<Place> place = clientTools.calls().find(id);
      if (place.isEmpty()) {
        tell("over", Map.of("reason", "forgotten"));
        return Optional.empty();
      }
      if (place.get().lost()) {
        tell("lost", Map.of());
        return Optional.empty();
      }
      if (place.get().held()) {
        boolean known = tries && renewed == began;
        return known ? Optional.of(held(place.get(), taken)) : confirmed(place.get());
      }
      if (!place.get().waits()) {
        tell("over", Map.of("reason", place.get().explanation()));
        return Optional.empty();
      }
      if (vanishes && !clientTools.draining().getAsBoolean()) {
        tell("vanished", Map.of());
        return Optional.empty();
      }
      if (sent - began > Duration.ofSeconds(patience).toNanos()) {
        giveUp(place.get());
        return Optional.empty();
      }
      notGranted = sent;
    }
  }

  private void giveUp(Place place) {
    tell("leave", Map.of());
    clientTools.calls().leave(id, "gave+up");
    tell("left", Map.of());
    clientTools.tell("gave up", name, Map.of("reason", place.explanation()));
  }

  /** How long the lock has been granted is not known: only a renewal says until when it is held. */
  private Optional<HeldLocks> confirmed(Place place) {
    while (true) {
      long sent = SoakHistory.now();
      boolean renewed = clientTools.calls().renew(id, Calls.PATIENCE);
      if (SoakHistory.now() - sent > Duration.ofSeconds(leaseSeconds).toNanos()) {
        continue; // It took too long to say anything.
      }
      if (renewed) {
        return Optional.of(held(place, sent));
      }
      tell("lost", Map.of());
      return Optional.empty();
    }
  }

  private HeldLocks held(Place place, long sent) {
    long end =
        maxSeconds == 0 ? Long.MAX_VALUE : notGranted + Duration.ofSeconds(maxSeconds).toNanos();
    return new HeldLocks(name, place.hosts(), place.token(), sent, end);
  }

  private void tell(String what, Map<String, Object> details) {
    clientTools.tell(what, id, details);
  }

  private boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }
}
