package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Rollout;
import java.util.List;

/** A rollout at one moment. */
record RolloutSnapshot(Rollout rollout, List<HostUpgrade> hosts) {
  boolean hasEnded() {
    return rollout.hasEndedAt();
  }

  int exitCode() {
    return switch (rollout.getState()) {
      case Succeeded -> ExitCode.OK;
      case Degraded, Aborted -> ExitCode.DEGRADED;
      case Scheduled, Running, Paused, Aborting, $UNKNOWN -> ExitCode.FAILED;
    };
  }

  /** How many hosts need nothing more. */
  int done() {
    return rollout.getHostCount() - rollout.getPending() - rollout.getInProgress();
  }

  /** Hosts that ended any other way than wanted. */
  List<HostUpgrade> unwanted() {
    return hosts.stream().filter(host -> isUnwanted(host.getState())).toList();
  }

  private static boolean isUnwanted(HostUpgradeState state) {
    return switch (state) {
      case Reverted, Quarantined, Cancelled -> true;
      case Pending, InProgress, Upgraded, Skipped, $UNKNOWN -> false;
    };
  }

  /** One sentence, for the end. */
  String summary() {
    Long ended = rollout.getEndedAt();
    String other = TableViews.other(rollout);
    String time = ended == null ? "" : " in " + TextFormat.duration(ended - rollout.getCreatedAt());
    return String.format(
        "rollout %s %s: %d of %d hosts upgraded%s%s",
        rollout.getId(),
        TableViews.word(rollout.getState()),
        rollout.getUpgraded(),
        rollout.getHostCount(),
        other.isEmpty() ? "" : ", " + other,
        time);
  }
}
