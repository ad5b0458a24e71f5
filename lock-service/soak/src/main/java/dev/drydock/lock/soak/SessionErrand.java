package dev.drydock.lock.soak;

import dev.drydock.lock.etcd.EtcdRefusedException;
import dev.drydock.lock.etcd.HeldLock;
import dev.drydock.lock.etcd.LockClient;
import dev.drydock.lock.etcd.SessionLostException;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * One lock of a thread that shares a lock client with others, from asking for it to whatever end it
 * comes to. It tells what {@link Errand} tells, but for
 *
 * <pre>
 *   held     of which errand; the lock's own id is told from here on
 *   valid    the lock said that it excludes others: until (when it was asked)
 *   lost     the lock said that it does not, or its session was over before
 *   gave up  it was not served for as long as it was to wait: reason
 *   vanished the whole session is given up
 * </pre>
 */
final class SessionErrand implements Runnable {
  private static final Duration RELEASE = Duration.ofSeconds(120);

  /** Longer than any run: who is never served still waits at its end. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  /** Else there were always some who want the quiet hosts. */
  private static final int REST_MILLIS = 1000;

  private final Tools tools;
  private final Session session;
  private final Random random;
  private final String id;

  SessionErrand(Tools tools, Session session, int number) {
    this.tools = tools;
    this.session = session;
    random = tools.random();
    id = tools.name() + "-" + number;
  }

  @Override
  public void run() {
    LockClient.Request request =
        new LockClient.Request(
            tools.settings().places().draw(random, tools.settings().number("atHome")),
            tools.name(),
            "soak",
            patience());
    long began = History.now();
    tell("take", id, Map.of("hosts", request.hosts(), "seconds", request.patience().toSeconds()));
    try {
      hold(session.client().acquire(request));
    } catch (LockClient.RefusedException refused) {
      boolean late = History.now() - began > request.patience().toNanos();
      String what = late && !request.patience().isZero() ? "gave up" : "over";
      tell(what, id, Map.of("reason", String.valueOf(refused.getMessage())));
    } catch (SessionLostException lost) {
      tell("lost", id, Map.of());
    } catch (UnknownOutcomeException unknown) {
      tell("unknown", id, Map.of("reason", String.valueOf(unknown.getMessage())));
    } catch (EtcdRefusedException refused) {
      tell("refused", id, Map.of("reason", String.valueOf(refused.getMessage())));
    } catch (InterruptedException stop) {
      throw new IllegalStateException("nobody interrupts a client", stop);
    }
    Errand.pause(random.nextInt(REST_MILLIS));
  }

  /** Some try, some give up while they wait. */
  private Duration patience() {
    return switch (random.nextInt(8)) {
      case 0 -> Duration.ZERO;
      case 1 -> Duration.ofSeconds(2 + random.nextInt(5));
      default -> PATIENCE;
    };
  }

  private void hold(HeldLock lock) {
    Map<String, Long> tokens =
        lock.hosts().stream().collect(Collectors.toMap(host -> host, host -> lock.token()));
    tell("held", lock.id(), Map.of("errand", id, "tokens", tokens, "until", History.now()));
    boolean dies = random.nextInt(60) == 0;
    boolean watches = random.nextBoolean();
    int rounds = random.nextInt(5) == 0 ? 30 + random.nextInt(100) : 1 + random.nextInt(8);
    boolean lost = false;
    for (int round = 0; round < rounds && !tools.draining().getAsBoolean(); round++) {
      lost |= !stands(lock, lost);
      if (lost && watches) {
        break;
      }
      if (!effects(lock)) {
        stands(lock, lost);
        break;
      }
      Errand.pause(30 + random.nextInt(50));
    }
    if (dies && !tools.draining().getAsBoolean()) {
      tell("vanished", lock.id(), Map.of());
      session.close();
      return;
    }
    tell("release", lock.id(), Map.of());
    Errand.repeat(() -> released(lock), RELEASE);
    tell("released", lock.id(), Map.of());
  }

  /** Until it was asked the lock excluded others, if it still does. */
  private boolean stands(HeldLock lock, boolean lost) {
    long asked = History.now();
    if (lock.valid()) {
      tell("valid", lock.id(), Map.of("until", asked));
      return true;
    }
    if (!lost) {
      tell("lost", lock.id(), Map.of());
    }
    return false;
  }

  private boolean effects(HeldLock lock) {
    for (String host : lock.hosts()) {
      if (!tools.register().effect(host, lock.token(), lock.id())) {
        tell("stale", lock.id(), Map.of("host", host, "token", lock.token()));
        return false;
      }
    }
    return true;
  }

  private static boolean released(HeldLock lock) {
    lock.release("done");
    return true;
  }

  private void tell(String what, String of, Map<String, Object> details) {
    tools.history().tell(tools.name(), what, of, details);
  }
}
