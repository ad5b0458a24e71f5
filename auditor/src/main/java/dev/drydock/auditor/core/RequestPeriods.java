package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * When rollouts asked for hosts. The ticket of one that is paused, halted or ended stays in the
 * queue for minutes, since it may go on; meanwhile nobody passes it.
 */
final class RequestPeriods {
  private final Map<String, List<LoggedRolloutChange>> byRollout;

  /**
   * @param changes in their order
   */
  RequestPeriods(List<LoggedRolloutChange> changes) {
    this.byRollout = LogPage.by(changes, LoggedRolloutChange::rollout);
  }

  /** Whether a rollout asked for the hosts at every moment of a span of time. */
  boolean throughout(String rollout, Collection<String> hosts, Instant from, Instant to) {
    boolean running = true;
    boolean asks = true;
    boolean asked = true;
    boolean halted = false;
    boolean gone = false;
    for (LoggedRolloutChange change : byRollout.getOrDefault(rollout, List.of())) {
      if (change.at().isAfter(to) || !(change.host().isEmpty() || hosts.contains(change.host()))) {
        continue;
      }
      asked &= asks || !change.at().isAfter(from);
      switch (change.kind()) {
        case "CohortHalted" -> halted = true;
        case "CohortsReleased" -> halted = false;
        case "HostUpgradeChanged" -> gone = true;
        default -> running = change.state().equals("Running");
      }
      asks = running && !halted && !gone;
    }
    return asked && asks;
  }
}
