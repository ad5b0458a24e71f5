package dev.drydock.impact.core;

import static dev.drydock.impact.core.Ladder.Rung.POWER_CYCLE;
import static dev.drydock.impact.core.Ladder.Rung.RETRY_STEP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder.Rung;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is tried on a host of several teams. */
class LadderTest {
  private static Ladder of(Rung... rungs) {
    return new Ladder(List.of(rungs));
  }

  private static void holds(Ladder common, Ladder one, Ladder other) {
    assertThat(Ladder.common(List.of(one, other))).isEqualTo(common);
    assertThat(Ladder.common(List.of(other, one))).isEqualTo(common);
  }

  @Test
  void onlyWhatAllWantIsTried() {
    Ladder both = of(RETRY_STEP, POWER_CYCLE);
    holds(both, both, both);
    holds(of(RETRY_STEP), both, of(RETRY_STEP));
    holds(of(POWER_CYCLE), of(POWER_CYCLE), both);
    holds(Ladder.NONE, of(POWER_CYCLE), of(RETRY_STEP));
  }

  @Test
  void whatOneTeamWantsApprovedIsOfAllThatIsTried() {
    Ladder asking = new Ladder(List.of(RETRY_STEP, POWER_CYCLE), Set.of(POWER_CYCLE));
    holds(asking, asking, of(RETRY_STEP, POWER_CYCLE));
    holds(of(RETRY_STEP), asking, of(RETRY_STEP));
  }

  @Test
  void aTeamThatSaysNothingWantsNothing() {
    holds(Ladder.NONE, of(RETRY_STEP, POWER_CYCLE), Ladder.NONE);
    assertThat(Ladder.common(List.of())).as("nobody is there to say").isEqualTo(Ladder.NONE);
  }
}
