package dev.drydock.orchestrator.remediation;

import dev.drydock.platform.config.ServerConfig;
import java.time.Duration;

/** Whether a rung is climbed now, so that repairs do not become a storm of their own. Pure. */
final class Storm {
  private Storm() {}

  /**
   * What goes on around a host.
   *
   * @param acting on how many hosts of the fleet something is done right now to mend them
   * @param inVain on how many of its kind in its rollout nothing helped with what it has, those
   *     that went back to the release before among them
   * @param helped how many of them were helped
   * @param recently whether it was itself helped in another batch, less than a cool-down ago
   */
  record Around(int acting, int inVain, int helped, boolean recently) {}

  /** What becomes of a rung. */
  sealed interface Ruling {

    /** It is climbed. */
    record GoOn() implements Ruling {}

    /** Not yet; the host is diagnosed again before it is. */
    record Wait(String why) implements Ruling {}

    /** Nothing is tried on the host any more. */
    record Stop(String why) implements Ruling {}
  }

  static Ruling rule(ServerConfig.Remediation limits, Around around, Action first) {
    if (around.recently()) {
      return new Ruling.Stop(
          "it was helped less than %s ago, in another batch".formatted(words(limits.coolDown())));
    }
    if (around.inVain() >= limits.alike() * (around.helped() + 1L)) {
      return new Ruling.Stop(
          "nothing helped on %d hosts of its hardware class that have the same"
                  .formatted(around.inVain())
              + (around.helped() == 0 ? "" : ", something on %d".formatted(around.helped())));
    }
    if (first.acts() && around.acting() >= limits.atOnce()) {
      return new Ruling.Wait("%d hosts are being mended".formatted(around.acting()));
    }
    return new Ruling.GoOn();
  }

  private static String words(Duration time) {
    return time.toMinutes() > 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }
}
