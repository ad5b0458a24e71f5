package dev.drydock.lock.soak;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.etcd.EtcdBrake;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Whoever freezes the fleet and lets it go again, one call after the other. It tells
 *
 * <pre>
 *   freeze   about to ask for it, under a reason of its own
 *   frozen   answered: the brake in force
 *   unfreeze about to lift it, followed by unfrozen
 * </pre>
 */
final class Freezer {
  private final ExecutorService calls =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
  private final String process;
  private final EtcdBrake brake;
  private final History history;

  Freezer(String process, EtcdBrake brake, History history) {
    this.process = process;
    this.brake = brake;
    this.history = history;
  }

  /** Returns at once. The reason is used for one call alone. */
  void freeze(String reason) {
    calls.execute(
        () -> {
          tell("freeze", reason, Map.of());
          Brake inForce =
              Errand.repeat(
                  () -> brake.pull(new Brake(process, reason, Instant.now())), Errand.PATIENCE);
          tell("frozen", reason, Map.of("brake", inForce.reason()));
        });
  }

  /** Returns at once. */
  void unfreeze() {
    calls.execute(
        () -> {
          tell("unfreeze", process, Map.of());
          Errand.repeat(this::lift, Errand.PATIENCE);
          tell("unfrozen", process, Map.of());
        });
  }

  /** Whichever is in force: any of the clients may have pulled it. */
  private Optional<Brake> lift() {
    return brake.read().flatMap(inForce -> brake.lift(inForce, process, "it is over"));
  }

  private void tell(String what, String id, Map<String, Object> details) {
    history.tell(process, what, id, details);
  }
}
