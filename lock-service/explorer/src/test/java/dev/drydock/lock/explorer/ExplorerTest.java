package dev.drydock.lock.explorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state that three requests for three hosts can come to when two things go wrong, over the
 * real decisions and transactions; and the same search finding bugs, one for each scenario that the
 * protocol was written against. Searches know nothing of each other and go on side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ExplorerTest {
  private static final Map<String, Explorer.Seen> EXPLORED = new ConcurrentHashMap<>();

  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void keepsEveryPromiseInEveryState(Scenario scenario) {
    Explorer.Seen seen = new Explorer(scenario, Parts.REAL, true).explore();

    EXPLORED.put(scenario.name(), seen);
    assertThat(seen.states()).as("something can go wrong").isGreaterThan(1000);
    assertThat(seen.faults()).as("all that may does").isEqualTo(scenario.faults().keySet());
  }

  /** In the order of the list, whichever came to an end first. */
  @AfterAll
  static void total() {
    int states = 0;
    int moves = 0;
    for (Scenario scenario : Scenarios.ALL) {
      Explorer.Seen seen =
          EXPLORED.getOrDefault(scenario.name(), new Explorer.Seen(0, 0, Set.of()));
      System.out.printf(
          "explored %s: %,d states, %,d moves%n", scenario.name(), seen.states(), seen.moves());
      states += seen.states();
      moves += seen.moves();
    }
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
