package dev.drydock.orchestrator.core.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.remediation.RepairRateLimiter.Permit;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How much is repaired at once, and when nothing more is tried. */
class RepairRateLimiterTest {
  private static final RepairLimits LIMITS = new RepairLimits(2, 3, Duration.ofHours(1));

  private static Permit decide(RepairLoad load, RepairAction first) {
    return RepairRateLimiter.decide(LIMITS, load, first);
  }

  @Test
  void whatActsOnHostsWaitsForItsTurn() {
    for (RepairAction action : RepairAction.values()) {
      assertThat(decide(new RepairLoad(1, 0, 0, false), action)).isInstanceOf(Permit.Granted.class);
      assertThat(decide(new RepairLoad(2, 0, 0, false), action))
          .isInstanceOf(action.acts() ? Permit.Wait.class : Permit.Granted.class);
    }
    assertThat(Stream.of(RepairAction.values()).filter(RepairAction::acts))
        .containsExactlyInAnyOrder(
            RepairAction.RESTART_SERVICE,
            RepairAction.CLEAN_DISK,
            RepairAction.POWER_CYCLE,
            RepairAction.REIMAGE,
            RepairAction.ROLL_BACK);
  }

  @Test
  void nothingMoreIsTriedOnceItHelpedNone() {
    assertThat(decide(new RepairLoad(0, 2, 0, false), RepairAction.RETRY_STEP))
        .isInstanceOf(Permit.Granted.class);
    assertThat(decide(new RepairLoad(0, 3, 0, false), RepairAction.RETRY_STEP))
        .isEqualTo(
            new Permit.Stop("nothing helped on 3 hosts of its hardware class that have the same"));
    assertThat(decide(new RepairLoad(0, 5, 1, false), RepairAction.RETRY_STEP))
        .as("it helps some")
        .isInstanceOf(Permit.Granted.class);
    assertThat(decide(new RepairLoad(0, 6, 1, false), RepairAction.RETRY_STEP))
        .as("one that was helped is no reason to go on for ever")
        .isEqualTo(
            new Permit.Stop(
                "nothing helped on 6 hosts of its hardware class that have the same, something on 1"));
    assertThat(decide(new RepairLoad(0, 99, 33, false), RepairAction.RETRY_STEP))
        .isInstanceOf(Permit.Granted.class);
  }

  @Test
  void whatFailsAgainSoonAfterItWasHelpedIsForPeople() {
    assertThat(decide(new RepairLoad(0, 0, 0, true), RepairAction.RETRY_STEP))
        .isEqualTo(new Permit.Stop("it was helped less than 60 min ago, in another batch"));
  }
}
