package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.fleet.CsvFleet;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counted, not timed: how many units a decision asks in fleets of which one is ten times larger.
 */
class WatchOrderTest {
  private static final double GROWTH_MOST = 1.25;

  @TempDir private static Path folder;
  private static PlanProblem small;
  private static PlanProblem large;

  @BeforeAll
  static void made() throws Exception {
    small = work(2_000);
    large = work(20_000);
  }

  private static PlanProblem work(int hosts) throws Exception {
    SyntheticFleet made = new SyntheticFleet(hosts, 1, 10);
    Path file = made.write(folder.resolve("fleet.csv"));
    CompactFleet fleet = CsvFleet.read(file, Duration.ofMinutes(30), _ -> true);
    PlanProblem planProblem =
        PlanProblemCompiler.compile(
            PlanInput.of(
                fleet, made.policies(), Instant.EPOCH, PlannedRollout.of("r", fleet.allHosts())));
    for (int unit = 0; unit < planProblem.units(); unit++) {
      planProblem.millis()[unit] += unit * 7L % 1000; // Whole seconds would end many at one moment.
    }
    return planProblem;
  }

  @Test
  void decisionsAskNoMoreInLargerFleets() {
    assertThat(growth(small, large)).isLessThan(GROWTH_MOST);
  }

  @Test
  void theyWouldIfUnitsWaitedOnTheirLargestApplication() {
    assertThat(growth(largestFirst(small), largestFirst(large))).isGreaterThan(GROWTH_MOST);
  }

  @Test
  void whichLimitIsWaitedOnChangesNoSchedule() {
    long[] begins = new OrderSimulation(small).run(order(small), 0).begins();
    assertThat(new OrderSimulation(largestFirst(small)).run(order(small), 0).begins())
        .isEqualTo(begins);
  }

  private static double growth(PlanProblem of, PlanProblem to) {
    return (double) checks(to) / checks(of);
  }

  private static long checks(PlanProblem planProblem) {
    return Decisions.of(new OrderSimulation(planProblem), order(planProblem), 0).checks(99);
  }

  private static int[] order(PlanProblem planProblem) {
    return InitialOrders.heaviestFirst(planProblem, InitialOrders.conflictWeight(planProblem, 2));
  }

  private static PlanProblem largestFirst(PlanProblem planProblem) {
    int[] limits = planProblem.rowLimit().clone();
    int[] takes = planProblem.rowTakes().clone();
    for (int unit = 0; unit < planProblem.units(); unit++) {
      int last = planProblem.rowFirst()[unit + 1] - 1;
      for (int row = planProblem.rowFirst()[unit]; row <= last; row++) {
        int mirrored = last - (row - planProblem.rowFirst()[unit]);
        limits[row] = planProblem.rowLimit()[mirrored];
        takes[row] = planProblem.rowTakes()[mirrored];
      }
    }
    return new PlanProblem(
        planProblem.fleet(),
        planProblem.begin(),
        planProblem.limits(),
        planProblem.hosts(),
        planProblem.hostFirst(),
        planProblem.millis(),
        planProblem.rowFirst(),
        limits,
        takes,
        planProblem.rollout(),
        planProblem.standing(),
        planProblem.downUntil(),
        planProblem.canaries(),
        planProblem.openings(),
        planProblem.past(),
        planProblem.infeasible(),
        planProblem.held(),
        planProblem.assumed());
  }
}
