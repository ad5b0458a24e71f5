package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rollouts in which nothing fails, each with steps, turns and an order of its own, over a real
 * PostgreSQL: nobody halts or pauses any of them. {@code -Dhalts.seed} repeats a run, {@code
 * -Dhalts.runs} says how many.
 */
@Tag("stack")
class FalseHaltTest {
  private static final int RUNS = Integer.getInteger("halts.runs", 12);
  private static final long SEED = Long.getLong("halts.seed", Long.getLong("prop.seed", 1));

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    late(Way.REQUEUE);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** What becomes of hosts that drain slowly; a host that is turned back has not failed. */
  private void late(Way way) {
    fleet.late = new LateDrain(way, LateDrain.DEFAULT_REMIND, Duration.ofHours(1));
  }

  @Test
  void noRolloutInWhichNothingFailsIsHalted() {
    int turnedBack = 0;
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      NoisyRollout rollout = new NoisyRollout(database.jdbi(), fleet, seed);
      rollout.run();
      assertThat(rollout.halts())
          .as("seed %d; repeat with -Dhalts.seed=%d -Dhalts.runs=1", seed, seed)
          .isEmpty();
      turnedBack += rollout.turnedBack();
    }
    assertThat(turnedBack).as("without noise nothing was shown").isGreaterThan(RUNS / 4);
    System.out.printf(
        "false halts: none in %d rollouts from seed %d on, with %d batches turned back%n",
        RUNS, SEED, turnedBack);
  }

  /** The control: a team that calls slow drains failures, and allows none, has halts. */
  @Test
  void theSameRolloutsAreHaltedWhereSlowDrainsCountAsFailures() {
    late(Way.REVERT);
    long seed = SEED;
    NoisyRollout rollout;
    do {
      rollout = new NoisyRollout(database.jdbi(), fleet, seed++).allowingNone();
      rollout.run();
    } while (rollout.halts().isEmpty() && seed < SEED + 40);
    assertThat(rollout.halts()).isNotEmpty();
  }
}
