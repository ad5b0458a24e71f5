package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Amount.Count;
import dev.drydock.impact.core.Amount.Percent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureBudgetTest {
  @ParameterizedTest
  @CsvSource({
    // failed, ended, exceeded
    "0, 0, false",
    "0, 1000, false",
    "9, 9, false", // The sample is too small to say anything.
    "1, 10, false",
    "2, 10, true",
    "2, 20, false",
    "3, 20, true",
  })
  void aShareIsOfThoseThatHaveEnded(int failed, int ended, boolean exceeded) {
    assertThat(new FailureBudget(new Percent(10), 10).exceeded(failed, ended)).isEqualTo(exceeded);
  }

  @ParameterizedTest
  @CsvSource({"0, 1000, false", "2, 2, false", "3, 3, true", "3, 1000, true"})
  void aNumberNeedsNoSample(int failed, int ended, boolean exceeded) {
    assertThat(new FailureBudget(new Count(2), 10).exceeded(failed, ended)).isEqualTo(exceeded);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, true", "0, 5, false"})
  void nobodyMayFail(int failed, int ended, boolean exceeded) {
    assertThat(new FailureBudget(new Count(0), 10).exceeded(failed, ended)).isEqualTo(exceeded);
    assertThat(new FailureBudget(new Percent(0), 1).exceeded(failed, ended)).isEqualTo(exceeded);
  }
}
