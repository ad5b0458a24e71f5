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
final class NothingLost implements Check {
  private static final Set<String> ENDS =
      Set.of("Upgraded", "Skipped", "Reverted", "Quarantined", "Cancelled");
  private static final Set<String> TOLD =
      Set.of("HostUpgraded", "HostSkipped", "HostReverted", "HostQuarantined", "HostHeld");

  private final Rollout rollout;
  private final Set<String> missing;
  private final Tally tally = new Tally(Invariant.I7);

  NothingLost(Rollout rollout) {
    this.rollout = rollout;
    this.missing = new HashSet<>(rollout.submitted().orElse(Set.of()));
    if (rollout.submitted().isEmpty()) {
      tally.unknown("which hosts were submitted is not kept: the event of it is gone");
    }
    rollout.eventGaps().forEach(tally::unknown);
  }

  @Override
  public void look(Page page) {
    Map<String, Grant> grants =
        page.grants().stream().collect(Collectors.toMap(Grant::id, grant -> grant));
    Map<String, List<Event>> events = Page.by(page.events(), Event::host);
    for (HostUpgrade upgrade : page.hosts()) {
      tally.judged();
      missing.remove(upgrade.host());
      List<Event> told = events.getOrDefault(upgrade.host(), List.of());
      end(upgrade).ifPresent(why -> violated(upgrade, why, last(told)));
      inProgress(upgrade, grants).ifPresent(why -> violated(upgrade, why, last(told)));
      untold(upgrade, told).ifPresent(why -> violated(upgrade, why, last(told)));
      twice(upgrade, told);
    }
  }

  private Optional<String> end(HostUpgrade upgrade) {
    boolean ended = ENDS.contains(upgrade.state());
    if (rollout.ended() && !ended) {
      return Optional.of("the rollout ended while it is " + upgrade.state());
    }
    return ended && !upgrade.state().equals("Upgraded") && upgrade.reason().isBlank()
        ? Optional.of("it ended " + upgrade.state() + " without a reason")
        : Optional.empty();
  }

  /** A grant that is not of this page is not judged here. */
  private static Optional<String> inProgress(HostUpgrade upgrade, Map<String, Grant> grants) {
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

  private Optional<String> untold(HostUpgrade upgrade, List<Event> told) {
    if (!rollout.eventGaps().isEmpty()) {
      return Optional.empty();
    }
    String last =
        told.stream()
            .filter(event -> event.kind().equals("HostUpgradeChanged"))
            .reduce((_, later) -> later)
            .map(Event::state)
            .orElse("Pending");
    return last.equals(upgrade.state())
        ? Optional.empty()
        : Optional.of(
            "it is %s, but the feed was told last that it is %s".formatted(upgrade.state(), last));
  }

  private void twice(HostUpgrade upgrade, List<Event> told) {
    Page.by(told.stream().filter(event -> TOLD.contains(event.kind())).toList(), Event::grant)
        .forEach(
            (grant, ends) -> {
              if (ends.size() > 1) {
                violated(
                    upgrade,
                    "it ended %d times under grant %s".formatted(ends.size(), grant),
                    ends.stream().map(Event::row).toList());
              }
            });
  }

  private static List<String> last(List<Event> told) {
    return told.isEmpty() ? List.of() : List.of(told.getLast().row());
  }

  private void violated(HostUpgrade upgrade, String why, List<String> events) {
    List<String> evidence = new java.util.ArrayList<>();
    evidence.add(
        "host_upgrades %s/%s: %s %s"
            .formatted(rollout.id(), upgrade.host(), upgrade.state(), upgrade.reason())
            .strip());
    evidence.addAll(events);
    tally.violated(new Exhibit("host/" + upgrade.host(), Optional.empty(), why, evidence));
  }

  @Override
  public Finding finding() {
    for (String host : missing.stream().sorted().toList()) {
      tally.violated(
          new Exhibit(
              "host/" + host,
              Optional.empty(),
              "it was submitted and is in no state at all",
              List.of(
                  "events RolloutCreated: names " + host,
                  "host_upgrades %s/%s: no row".formatted(rollout.id(), host))));
    }
    missing.clear();
    return tally.finding();
  }
}
