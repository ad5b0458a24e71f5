package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Decision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which decisions of a pass may be committed together. The parts of a group fail each by itself and
 * do not see each other, so none may rely on what another one of its group does.
 *
 * <ul>
 *   <li>Grants of tickets rely on none of each other: they lock different hosts, and when one of
 *       them fails, more is up than the others were judged with.
 *   <li>A ticket that is turned away may stay after all, renewed in the last moment; then nobody
 *       behind it may be granted. So a grant goes into a later group than that, if they share a
 *       host. The other way round a try may be refused for a grant that fails, which is allowed.
 *   <li>A grant of a candidate takes a beat, everything else compares what the one before it wrote:
 *       alone.
 *   <li>Clocks rely on nothing, and whoever goes before a waiting ticket relies on them: first, and
 *       all together.
 *   <li>Explanations write nothing anybody relies on: last, and all together.
 * </ul>
 *
 * <p>Groups are carried out in order, and none after one that failed in part.
 */
public final class Groups {
  private final List<List<Decision>> groups = new ArrayList<>();
  private final Set<String> leaving = new HashSet<>();
  private List<Decision> open = new ArrayList<>();

  private Groups() {}

  /** The same decisions, in groups; clocks first and explanations of tickets last. */
  public static List<List<Decision>> of(List<Decision> decisions) {
    Groups groups = new Groups();
    List<Decision> clocks = new ArrayList<>();
    List<Decision> explanations = new ArrayList<>();
    for (Decision decision : decisions) {
      switch (decision) {
        case Decision.GrantTicket grant -> groups.grant(grant);
        case Decision.TurnAway away -> groups.turnAway(away);
        case Decision.SetClock clock -> clocks.add(clock);
        case Decision.TicketWaits waits -> explanations.add(waits);
        default -> groups.alone(decision);
      }
    }
    groups.close();
    if (!clocks.isEmpty()) {
      groups.groups.addFirst(clocks);
    }
    if (!explanations.isEmpty()) {
      groups.groups.add(explanations);
    }
    return groups.groups;
  }

  private void grant(Decision.GrantTicket grant) {
    if (grant.ticket().hosts().stream().anyMatch(leaving::contains)) {
      close();
    }
    open.add(grant);
  }

  private void turnAway(Decision.TurnAway away) {
    open.add(away);
    leaving.addAll(away.ticket().hosts());
  }

  private void alone(Decision decision) {
    close();
    groups.add(List.of(decision));
  }

  private void close() {
    if (!open.isEmpty()) {
      groups.add(open);
      open = new ArrayList<>();
    }
    leaving.clear();
  }
}
