package dev.drydock.orchestrator.core.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExplorerTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void keepsEveryRuleInEveryState(Scenario scenario) {
    long begun = System.nanoTime();
    Explorer.Seen seen = new Explorer(scenario).explore();
    System.out.printf(
        "explored %s: %,d states, %,d moves, %.1f s%n",
        scenario.name(), seen.states(), seen.moves(), (System.nanoTime() - begun) / 1e9);
    seen.broken().forEach((rule, way) -> System.out.println(rule + ": " + way));
    assertThat(KnownRules.NAMES).containsAll(seen.broken().keySet());
  }

  static List<Scenario> scenarios() {
    return Scenarios.ALL;
  }
}
