package dev.drydock.lock.soak;

import java.util.Map;
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
final class FleetFreezer {
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
  private final String process;
  private final Calls calls;
  private final SoakHistory soakHistory;

  FleetFreezer(String process, Calls calls, SoakHistory soakHistory) {
    this.process = process;
    this.calls = calls;
    this.soakHistory = soakHistory;
  }

  /** Returns at once. The reason is used for one call alone. */
  void freeze(String reason) {
    executor.execute(
        () -> {
          tell("freeze", reason, Map.of());
          tell("frozen", reason, Map.of("brake", calls.freeze(reason)));
        });
  }

  /** Returns at once. */
  void unfreeze() {
    executor.execute(
        () -> {
          tell("unfreeze", process, Map.of());
          calls.unfreeze();
          tell("unfrozen", process, Map.of());
        });
  }

  private void tell(String what, String id, Map<String, Object> details) {
    soakHistory.tell(process, what, id, details);
  }
}
