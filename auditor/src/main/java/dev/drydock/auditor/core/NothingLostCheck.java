package dev.drydock.auditor.core;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * I7, by counting again:
 *
 * <ol>
 *   <li>Each host the submission named has its one row still.
 *   <li>Once the rollout ended, each row is in one of the five end states, and all but Upgraded
 *       have a reason. Before, one in progress is so under a grant that is alive.
 *   <li>The row says what the feed was told last.
 *   <li>Under one grant a host ends once.
 * </ol>
 */
final class NothingLostCheck implements InvariantCheck {
  private static final Set<String> ENDS =
      Set.of("Upgraded", "Skipped", "Reverted", "Quarantined", "Cancelled");
  private static final Set<String> TOLD =
      Set.of("HostUpgraded", "HostSkipped", "HostReverted", "HostQuarantined", "HostRequeued");

  private final AuditedRollout auditedRollout;
  private final Set<String> missing;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I7);

  NothingLostCheck(AuditedRollout auditedRollout) {
    this.auditedRollout = auditedRollout;
    this.missing = new HashSet<>(auditedRollout.submitted().orElse(Set.of()));
    if (auditedRollout.submitted().isEmpty()) {
      findingCounter.unknown("which hosts were submitted is not kept: the event of it is gone");
    }
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
  }

  @Override
  public void look(LogPage logPage) {
    Map<String, LoggedGrant> grants =
        logPage.grants().stream().collect(Collectors.toMap(LoggedGrant::id, grant -> grant));
    Map<String, List<LoggedEvent>> events = LogPage.by(logPage.events(), LoggedEvent::host);
    for (LoggedHostUpgrade upgrade : logPage.hosts()) {
      findingCounter.judged();
      missing.remove(upgrade.host());
      List<LoggedEvent> told = events.getOrDefault(upgrade.host(), List.of());
      end(upgrade).ifPresent(why -> violated(upgrade, why, last(told)));
      inProgress(upgrade, grants).ifPresent(why -> violated(upgrade, why, last(told)));
      untold(upgrade, told).ifPresent(why -> violated(upgrade, why, last(told)));
      twice(upgrade, told);
    }
  }

  private Optional<String> end(LoggedHostUpgrade upgrade) {
    boolean ended = ENDS.contains(upgrade.state());
    if (auditedRollout.ended() && !ended) {
      return Optional.of("the rollout ended while it is " + upgrade.state());
    }
    return ended && !upgrade.state().equals("Upgraded") && upgrade.reason().isBlank()
        ? Optional.of("it ended " + upgrade.state() + " without a reason")
        : Optional.empty();
  }

  /** A grant that is not of this page is not judged here. */
  private static Optional<String> inProgress(
      LoggedHostUpgrade upgrade, Map<String, LoggedGrant> grants) {
    if (!upgrade.state().equals("InProgress")) {
      return Optional.empty();
    }
    if (upgrade.grant().isEmpty()) {
      return Optional.of("it is in progress under no grant");
    }
    return Optional.ofNullable(grants.get(upgrade.grant().get()))
        .filter(grant -> !grant.state().equals("granted"))
        .map(grant -> "it is in progress under " + grant.id() + ", which is " + grant.state());
  }

  private Optional<String> untold(LoggedHostUpgrade upgrade, List<LoggedEvent> told) {
    if (!auditedRollout.eventGaps().isEmpty()) {
      return Optional.empty();
    }
    String last =
        told.stream()
            .filter(event -> event.kind().equals("HostUpgradeChanged"))
            .reduce((_, later) -> later)
            .map(LoggedEvent::state)
            .orElse("Pending");
    return last.equals(upgrade.state())
        ? Optional.empty()
        : Optional.of(
            "it is %s, but the feed was told last that it is %s".formatted(upgrade.state(), last));
  }

  private void twice(LoggedHostUpgrade upgrade, List<LoggedEvent> told) {
    LogPage.by(
            told.stream().filter(event -> TOLD.contains(event.kind())).toList(), LoggedEvent::grant)
        .forEach(
            (grant, ends) -> {
              if (ends.size() > 1) {
                violated(
                    upgrade,
                    "it ended %d times under grant %s".formatted(ends.size(), grant),
                    ends.stream().map(LoggedEvent::row).toList());
              }
            });
  }

  private static List<String> last(List<LoggedEvent> told) {
    return told.isEmpty() ? List.of() : List.of(told.getLast().row());
  }

  private void violated(LoggedHostUpgrade upgrade, String why, List<String> events) {
    List<String> evidence = new java.util.ArrayList<>();
    evidence.add(
        "host_upgrades %s/%s: %s %s"
            .formatted(auditedRollout.id(), upgrade.host(), upgrade.state(), upgrade.reason())
            .strip());
    evidence.addAll(events);
    findingCounter.violated(
        new FindingDetail("host/" + upgrade.host(), Optional.empty(), why, evidence));
  }

  @Override
  public Finding finding() {
    for (String host : missing.stream().sorted().toList()) {
      findingCounter.violated(
          new FindingDetail(
              "host/" + host,
              Optional.empty(),
              "it was submitted and is in no state at all",
              List.of(
                  "events RolloutCreated: names " + host,
                  "host_upgrades %s/%s: no row".formatted(auditedRollout.id(), host))));
    }
    missing.clear();
    return findingCounter.finding();
  }
}
