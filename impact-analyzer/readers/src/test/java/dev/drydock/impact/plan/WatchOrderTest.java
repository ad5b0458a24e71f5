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
  private static Work small;
  private static Work large;

  @BeforeAll
  static void made() throws Exception {
    small = work(2_000);
    large = work(20_000);
  }

  private static Work work(int hosts) throws Exception {
    SyntheticFleet made = new SyntheticFleet(hosts, 1, 10);
    Path file = made.write(folder.resolve("fleet.csv"));
    CompactFleet fleet = CsvFleet.read(file, Duration.ofMinutes(30), _ -> true);
    Work work =
        Compiler.compile(
            Situation.of(fleet, made.policies(), Instant.EPOCH, Rollout.of("r", fleet.allHosts())));
    for (int unit = 0; unit < work.units(); unit++) {
      work.millis()[unit] += unit * 7L % 1000; // Whole seconds would end many at one moment.
    }
    return work;
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
    long[] begins = new Simulation(small).run(order(small), 0).begins();
    assertThat(new Simulation(largestFirst(small)).run(order(small), 0).begins()).isEqualTo(begins);
  }

  private static double growth(Work of, Work to) {
    return (double) checks(to) / checks(of);
  }

  private static long checks(Work work) {
    return Decisions.of(new Simulation(work), order(work), 0).checks(99);
  }

  private static int[] order(Work work) {
    return Orders.heaviestFirst(work, Orders.conflictWeight(work, 2));
  }

  private static Work largestFirst(Work work) {
    int[] limits = work.rowLimit().clone();
    int[] takes = work.rowTakes().clone();
    for (int unit = 0; unit < work.units(); unit++) {
      int last = work.rowFirst()[unit + 1] - 1;
      for (int row = work.rowFirst()[unit]; row <= last; row++) {
        int mirrored = last - (row - work.rowFirst()[unit]);
        limits[row] = work.rowLimit()[mirrored];
        takes[row] = work.rowTakes()[mirrored];
      }
    }
    return new Work(
        work.fleet(),
        work.begin(),
        work.limits(),
        work.hosts(),
        work.hostFirst(),
        work.millis(),
        work.rowFirst(),
        limits,
        takes,
        work.rollout(),
        work.standing(),
        work.downUntil(),
        work.canaries(),
        work.openings(),
        work.past(),
        work.infeasible(),
        work.held(),
        work.assumed());
  }
}
