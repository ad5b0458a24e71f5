package dev.drydock.lock.explorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state that three requests for three hosts can come to when two things go wrong, over the
 * real decisions and transactions; and the same search finding bugs, one for each scenario that the
 * protocol was written against.
 */
class ExplorerTest {
  private static int states;
  private static int moves;

  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void keepsEveryPromiseInEveryState(Scenario scenario) {
    long begun = System.nanoTime();

    Explorer.Seen seen = new Explorer(scenario, Parts.REAL, true).explore();

    states += seen.states();
    moves += seen.moves();
    System.out.printf(
        "explored %s: %,d states, %,d moves in %,d ms%n",
        scenario.name(),
        seen.states(),
        seen.moves(),
        Duration.ofNanos(System.nanoTime() - begun).toMillis());
    assertThat(seen.states()).as("something can go wrong").isGreaterThan(1000);
  }

  @AfterAll
  static void total() {
    System.out.printf("explored in all: %,d states, %,d moves%n", states, moves);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  void findsBug(Seeded bug) {
    Explorer explorer = new Explorer(bug.scenario(), bug.parts(), bug.policyBumps());

    assertThatThrownBy(explorer::explore)
        .isInstanceOf(Violation.class)
        .hasMessageStartingWith(bug.rule() + ": ");
  }

  static List<Scenario> scenarios() {
    return Scenarios.ALL;
  }

  static List<Seeded> bugs() {
    return Seeded.ALL;
  }
}
