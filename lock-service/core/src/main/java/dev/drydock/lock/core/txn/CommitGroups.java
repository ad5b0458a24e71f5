package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.LockRecord.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
 *   <li>A lapsed session lock goes from all its hosts at once that it has to go from: it has one
 *       record. Earlier than decided does no harm, as nobody gets a host by that.
 *   <li>Explanations write nothing anybody relies on. Those of tickets go last, all together; those
 *       of candidates stay in their place, as what is told there is read in order, and those that
 *       follow each other are told together.
 * </ul>
 *
 * <p>Groups are carried out in order, and none after one that failed in part.
 */
public final class CommitGroups {
  private final List<List<GrantorDecision>> groups = new ArrayList<>();
  private final Set<String> leaving = new HashSet<>();
  private final Map<String, List<GrantorDecision>> removals = new HashMap<>();
  private List<GrantorDecision> open = new ArrayList<>();

  private CommitGroups() {}

  /** The same decisions, in groups; clocks first and explanations of tickets last. */
  public static List<List<GrantorDecision>> of(List<GrantorDecision> decisions) {
    CommitGroups groups = new CommitGroups();
    List<GrantorDecision> clocks = new ArrayList<>();
    List<GrantorDecision> explanations = new ArrayList<>();
    for (GrantorDecision decision : decisions) {
      switch (decision) {
        case GrantorDecision.GrantTicket grant -> groups.grant(grant);
        case GrantorDecision.TurnAway away -> groups.turnAway(away);
        case GrantorDecision.SetClock clock -> clocks.add(clock);
        case GrantorDecision.RemoveLapsed removal -> groups.remove(removal);
        case GrantorDecision.TicketWaits waits -> explanations.add(waits);
        case GrantorDecision.CandidateWaits waits -> groups.explain(waits);
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

  private void grant(GrantorDecision.GrantTicket grant) {
    if (grant.ticket().hosts().stream().anyMatch(leaving::contains)) {
      close();
    }
    open.add(grant);
  }

  private void turnAway(GrantorDecision.TurnAway away) {
    open.add(away);
    leaving.addAll(away.ticket().hosts());
  }

  /** What a session lock loses is written once. */
  private void remove(GrantorDecision.RemoveLapsed removal) {
    if (removal.lock().kind() != Kind.SESSION) {
      alone(removal);
      return;
    }
    List<GrantorDecision> others = removals.get(removal.lock().id());
    if (others != null) {
      others.add(removal);
      return;
    }
    close();
    List<GrantorDecision> first = new ArrayList<>(List.of(removal));
    removals.put(removal.lock().id(), first);
    groups.add(first);
  }

  private void explain(GrantorDecision.CandidateWaits waits) {
    close();
    if (groups.isEmpty()
        || !(groups.getLast().getFirst() instanceof GrantorDecision.CandidateWaits)) {
      groups.add(new ArrayList<>());
    }
    groups.getLast().add(waits);
  }

  private void alone(GrantorDecision decision) {
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
