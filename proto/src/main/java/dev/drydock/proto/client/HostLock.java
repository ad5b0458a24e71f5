package dev.drydock.proto.client;

import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * One request for hosts, from the place in the queue to the release:
 *
 * <pre>{@code
 * HostLock lock = HostLock.ask(client, request, BootClock.system());
 * Lock answer = lock.await(Duration.ofMinutes(5), waiting -> show(waiting.getExplanation()));
 * if (answer.getState() == LockState.Held) {
 *   try (LeaseKeeper keeper = lock.keep(margin, listener)) {
 *     work();
 *   }
 *   lock.release("done");
 * }
 * }</pre>
 *
 * <p>Give it a client with a short call time-out and no retries: it repeats by itself, and knows
 * for how long. Used by one thread.
 */
public final class HostLock {
  private static final Duration LOOK_FIRST = Duration.ofMillis(100);
  private static final Duration LOOK_MAX = Duration.ofSeconds(1);

  private final DrydockClient client;
  private final TicketRequest request;
  private final BootClock clock;
  private final String id;

  /** Sent at this time since boot, the last look found the ticket waiting. */
  private Duration waited;

  private HostLock(
      DrydockClient client, TicketRequest request, BootClock clock, String id, Duration asked) {
    this.client = client;
    this.request = request;
    this.clock = clock;
    this.id = id;
    this.waited = asked;
  }

  /**
   * Takes the ticket. A request without an id of its own gets one, so that it may be sent again.
   *
   * @throws CallException when it is refused, or the server does not answer
   */
  public static HostLock ask(DrydockClient client, TicketRequest request, BootClock clock) {
    if (!request.hasRequestId()) {
      request.setRequestId(UUID.randomUUID().toString());
    }
    Duration asked = clock.sinceBoot();
    return new HostLock(client, request, clock, client.createTicket(request), asked);
  }

  /** The ticket's id, and the lock's. */
  public String id() {
    return id;
  }

  /**
   * Waits for the turn and keeps the place meanwhile, also while the server is away for less than
   * the ticket's wait.
   *
   * @param longest after which the queue is left
   * @param look told of every look that found the ticket waiting
   * @return Held, Refused, or Waiting when {@code longest} is over
   */
  public Lock await(Duration longest, Consumer<Lock> look) throws InterruptedException {
    Duration end = waited.plus(longest);
    Duration renewed = waited;
    Duration pause = LOOK_FIRST;
    while (true) {
      Duration sent = clock.sinceBoot();
      try {
        Lock lock = client.lock(id);
        if (lock.getState() != LockState.Waiting) {
          return lock;
        }
        waited = sent;
        look.accept(lock);
        if (sent.compareTo(end) >= 0) {
          release("waited for " + longest.toSeconds() + " s");
          return lock;
        }
        if (sent.minus(renewed).compareTo(Duration.ofSeconds(request.getWaitSeconds()).dividedBy(4))
            >= 0) {
          client.renewLock(id);
          renewed = sent;
        }
      } catch (CallException away) {
        // Granted meanwhile is no failure of a renewal; the next look tells.
        boolean patient = away.isTemporary() && sent.compareTo(end) < 0;
        if (!patient && away.status() != 409) {
          throw away;
        }
      }
      Thread.sleep(pause);
      pause = pause.multipliedBy(2).compareTo(LOOK_MAX) < 0 ? pause.multipliedBy(2) : LOOK_MAX;
    }
  }

  /**
   * Makes sure of a held lock, and renews it until closed.
   *
   * @param margin the listener is told this long before the lease can be over
   * @throws CallException when the lock is lost already, or the server does not answer in time
   */
  public LeaseKeeper keep(Duration margin, LeaseKeeper.Listener listener)
      throws InterruptedException {
    Duration lease = Duration.ofSeconds(request.getLeaseSeconds());
    Optional<Duration> maximum =
        request.getMaxSeconds() > 0
            ? Optional.of(waited.plusSeconds(request.getMaxSeconds()).minus(margin))
            : Optional.empty();
    Duration renewed = renew(waited.plus(lease).minus(margin));
    return new LeaseKeeper(
        client, id, clock, new LeaseKeeper.Terms(lease, margin, renewed, maximum), listener);
  }

  /** Renews once, within the lease that the grant began; answers when that was sent. */
  private Duration renew(Duration until) throws InterruptedException {
    while (true) {
      Duration sent = clock.sinceBoot();
      try {
        client.renewLock(id);
        return sent;
      } catch (CallException away) {
        if (!away.isTemporary() || sent.compareTo(until) >= 0) {
          throw away;
        }
        Thread.sleep(LOOK_FIRST);
      }
    }
  }

  /** Ends the lock, or leaves the queue. */
  public void release(String reason) {
    client.releaseLock(id, reason);
  }
}
