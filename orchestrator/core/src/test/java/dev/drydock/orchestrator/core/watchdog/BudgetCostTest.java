package dev.drydock.orchestrator.core.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A late host costs the hosts that wait for what runs on it, and no others. */
class BudgetCostTest {
  private static final Map<String, Integer> WAITING = Map.of("web", 12, "ads", 1, "mail", 7);

  @Test
  void hostsThatWaitForAnotherApplicationAreNotCounted() {
    BudgetCost cost = BudgetCost.of(WAITING, Set.of("web", "ads", "batch"));
    assertThat(cost.waiting()).isEqualTo(Map.of("web", 12, "ads", 1));
    assertThat(cost.hosts()).isEqualTo(13);
  }

  @Test
  void aHostThatNobodyWaitsForCostsNothing() {
    assertThat(BudgetCost.of(WAITING, Set.of("batch")).hosts()).isZero();
    assertThat(BudgetCost.of(Map.of(), Set.of("web")).waiting()).isEmpty();
  }
}
