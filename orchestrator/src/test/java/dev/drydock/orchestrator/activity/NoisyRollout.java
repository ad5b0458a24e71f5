package dev.drydock.orchestrator.activity;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutState;
import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.FailureBudget;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;

/**
 * One rollout in virtual time, by the steps its batches and its workflow take on PostgreSQL. Hosts
 * of one to three hardware classes take as long as they do, in any order; some are turned back by a
 * check, some drain slowly and are requeued, consumers are lost and followed by others, a host may
 * leave or be on the release already; and on each host an earlier rollout failed. The budgets are
 * as small as teams may write them.
 */
final class NoisyRollout {
  private static final int HOSTS_LEAST = 3;
  private static final int HOSTS_MOST = 8;
  private static final int TURNS_MAX = 3;
  private static final double CHECK_HOLDS = 0.15;
  private static final double DRAINS_SLOWLY = 0.15;
  private static final double LEAVES = 0.05;

  /** What happens next to one host, and when in virtual seconds. */
  private record Due(double at, String host, int turn) {}

  private final Jdbi jdbi;
  private final Fleet fleet;
  private final Random random;
  private final String id;
  private final List<InForce> budgets = new ArrayList<>();
  private final PriorityQueue<Due> agenda = new PriorityQueue<>(Comparator.comparing(Due::at));
  private int turnedBack;

  NoisyRollout(Jdbi jdbi, Fleet fleet, long seed) {
    this.jdbi = jdbi;
    this.fleet = fleet;
    this.random = new Random(seed);
    this.id = "r" + seed;
    budgets.add(budget("web", random.nextInt(3), random.nextInt(20), 1 + random.nextInt(4)));
  }

  private static InForce budget(String application, int most, int percent, int minSample) {
    Amount amount = most == 0 ? new Amount.Percent(percent) : new Amount.Count(most - 1);
    return new InForce(application, 1, List.of(application), new FailureBudget(amount, minSample));
  }

  /** The most eager budget there is. */
  NoisyRollout allowingNone() {
    budgets.set(0, budget("web", 1, 0, 1));
    return this;
  }

  int turnedBack() {
    return turnedBack;
  }

  /** Why it was halted or paused, as people and the feed are told; empty if it was not. */
  List<String> halts() {
    List<String> told = new ArrayList<>(fleet.rows.halts(id));
    Row.Rollout rollout = fleet.rows.rollout(id);
    if (rollout.state() == RolloutState.Paused) {
      told.add(rollout.reason());
    }
    fleet.rows.told("CohortHalted").stream()
        .filter(event -> event.rollout().equals(id))
        .forEach(event -> told.add(String.valueOf(event.data())));
    return told;
  }

  /** Until all of its hosts have ended, or it is halted. */
  void run() {
    List<String> hosts = submit();
    RolloutActivitiesImpl workflow =
        new RolloutActivitiesImpl(jdbi, fleet.holds, () -> List.copyOf(budgets));
    hosts.forEach(host -> agenda.add(new Due(random.nextDouble(100), host, 1)));
    boolean ended = false;
    while (!ended && halts().isEmpty()) {
      Due due = agenda.remove();
      step(due);
      ended = workflow.advance(id);
      if (random.nextInt(5) == 0) {
        ended = workflow.advance(id); // As after every lost wake-up.
      }
    }
  }

  private List<String> submit() {
    int count = HOSTS_LEAST + random.nextInt(HOSTS_MOST - HOSTS_LEAST + 1);
    int classes = 1 + random.nextInt(3);
    List<String> hosts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String host = id + "-" + i;
      fleet.host(host);
      fleet.execute(
          "UPDATE hosts SET hardware_class = 'class%d' WHERE name = '%s'"
              .formatted(random.nextInt(classes), host));
      hosts.add(host);
    }
    String[] names = hosts.toArray(String[]::new);
    fleet.rollout("earlier-" + id, names);
    fleet.asIf.failed("earlier-" + id);
    fleet.rollout(id, names);
    return hosts;
  }

  private void step(Due due) {
    if (random.nextDouble() < LEAVES) {
      end(due.host(), HostUpgradeState.Cancelled);
      return;
    }
    String grant = fleet.grant(id, due.host());
    boolean again = due.turn() < TURNS_MAX;
    if (again && random.nextDouble() < CHECK_HOLDS) {
      fleet.drive(grant);
      ends(grant, JobStatus.DONE);
      fleet.drive(grant);
      fleet.decide(grant, Fleet.WAIT);
      back(grant, due);
    } else if (again && random.nextDouble() < DRAINS_SLOWLY) {
      fleet.opened(grant);
      fleet.drive(grant);
      ends(grant, JobStatus.FAILED);
      back(grant, due);
    } else {
      finish(grant);
    }
  }

  private void back(String grant, Due due) {
    turnedBack++;
    finish(grant);
    if (waits(due.host())) {
      // In virtual time its back-off is over when it comes again.
      fleet.asIf.backOffOver(due.host());
      agenda.add(new Due(due.at() + random.nextDouble(100), due.host(), due.turn() + 1));
    }
  }

  private boolean waits(String host) {
    return fleet.rows.host(id, host).state() == HostUpgradeState.Pending;
  }

  /** To the end of the batch; whatever it asks for is done. */
  private void finish(String grant) {
    while (!fleet.drive(grant).ended()) {
      fleet.decide(grant, Fleet.GRANT);
      ends(grant, JobStatus.DONE);
    }
    fleet.driver.endHold(grant);
  }

  /** All its jobs, each after some consumers that fell silent. */
  private void ends(String grant, JobStatus state) {
    fleet.workAsIf.ended(fleet.rows.waiting(grant), state, 1 + random.nextInt(3), "{}");
  }

  private void end(String host, HostUpgradeState state) {
    fleet.asIf.endedIn(id, host, state);
  }
}
