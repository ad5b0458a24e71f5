package dev.drydock.orchestrator.core.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state that batches can come to when a few things go wrong, over the real decisions. The
 * same search finds bugs that are seeded. Searches know nothing of each other and go on side by
 * side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ExplorerTest {
  private static final Map<String, Explorer.Seen> EXPLORED = new ConcurrentHashMap<>();
  private static final AtomicInteger FOUND = new AtomicInteger();
  private static final long BEGUN = System.nanoTime();

  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void keepsEveryPromiseInEveryState(Scenario scenario) {
    Explorer.Seen seen = explored(scenario);

    assertThat(seen.broken()).isEmpty();
    assertThat(seen.states()).as("something can go wrong").isGreaterThan(100);
    assertThat(seen.faults()).as("all that may does").isEqualTo(scenario.faults().keySet());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  void findsBug(Seeded bug) {
    Explorer explorer = new Explorer(bug.scenario(), bug.bug(), _ -> false);

    Explorer.Seen seen = explorer.explore(bug.rule()::equals);

    assertThat(seen.broken()).containsKey(bug.rule());
    FOUND.incrementAndGet();
  }

  @Tag("full")
  @ParameterizedTest(name = "{0}")
  @MethodSource("larger")
  void keepsEveryPromiseWhenOneMoreThingGoesWrong(Scenario scenario) {
    assertThat(new Explorer(scenario).explore().broken()).isEmpty();
  }

  @AfterAll
  static void total() {
    int states = EXPLORED.values().stream().mapToInt(Explorer.Seen::states).sum();
    int moves = EXPLORED.values().stream().mapToInt(Explorer.Seen::moves).sum();
    System.out.printf(
        "explored batches: %,d states, %,d moves, %.0f s; %d of %d seeded bugs found; %d"
            + " violations%n",
        states,
        moves,
        (System.nanoTime() - BEGUN) / 1e9,
        FOUND.get(),
        Seeded.ALL.size(),
        EXPLORED.values().stream().mapToInt(seen -> seen.broken().size()).sum());
  }

  private static Explorer.Seen explored(Scenario scenario) {
    return EXPLORED.computeIfAbsent(scenario.name(), _ -> new Explorer(scenario).explore());
  }

  static List<Scenario> scenarios() {
    return Scenarios.ALL;
  }

  static List<Scenario> larger() {
    return Scenarios.larger();
  }

  static List<Seeded> bugs() {
    return Seeded.ALL;
  }
}
