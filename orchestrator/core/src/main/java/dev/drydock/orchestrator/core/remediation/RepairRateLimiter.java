package dev.drydock.orchestrator.core.remediation;

import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import java.time.Duration;

/** Whether a rung is tried now, so that repairs do not become a storm of their own. */
public final class RepairRateLimiter {
  private RepairRateLimiter() {}

  /** What becomes of a rung. */
  public sealed interface Permit {

    /** It is tried. */
    record Granted() implements Permit {}

    /** Not yet. The host is diagnosed again before it is. */
    record Wait(String why) implements Permit {}

    /** Nothing is tried on the host any more. */
    record Stop(String why) implements Permit {}
  }

  /** Decides for the first action of a rung. */
  public static Permit decide(RepairLimits limits, RepairLoad load, RepairAction first) {
    if (load.recently()) {
      return new Permit.Stop(
          "it was helped less than %s ago, in another batch".formatted(words(limits.coolDown())));
    }
    if (load.inVain() >= limits.alike() * (load.helped() + 1L)) {
      return new Permit.Stop(
          "nothing helped on %d hosts of its hardware class that have the same"
                  .formatted(load.inVain())
              + (load.helped() == 0 ? "" : ", something on %d".formatted(load.helped())));
    }
    if (first.acts() && load.acting() >= limits.atOnce()) {
      return new Permit.Wait("%d hosts are being mended".formatted(load.acting()));
    }
    return new Permit.Granted();
  }

  private static String words(Duration time) {
    return time.toMinutes() > 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }
}
