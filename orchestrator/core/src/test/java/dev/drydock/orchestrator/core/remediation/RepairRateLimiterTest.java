package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.remediation.Storm.Around;
import dev.drydock.orchestrator.remediation.Storm.Ruling;
import dev.drydock.platform.config.ServerConfig;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How much is repaired at once, and when nothing more is tried. */
class StormTest {
  private static final ServerConfig.Remediation LIMITS =
      new ServerConfig.Remediation(2, 3, Duration.ofHours(1));

  private static Ruling rule(Around around, Action first) {
    return Storm.rule(LIMITS, around, first);
  }

  @Test
  void whatActsOnHostsWaitsForItsTurn() {
    for (Action action : Action.values()) {
      assertThat(rule(new Around(1, 0, 0, false), action)).isInstanceOf(Ruling.GoOn.class);
      assertThat(rule(new Around(2, 0, 0, false), action))
          .isInstanceOf(action.acts() ? Ruling.Wait.class : Ruling.GoOn.class);
    }
    assertThat(Stream.of(Action.values()).filter(Action::acts))
        .containsExactlyInAnyOrder(
            Action.RESTART_SERVICE,
            Action.CLEAN_DISK,
            Action.POWER_CYCLE,
            Action.REIMAGE,
            Action.ROLL_BACK);
  }

  @Test
  void nothingMoreIsTriedOnceItHelpedNone() {
    assertThat(rule(new Around(0, 2, 0, false), Action.RETRY_STEP)).isInstanceOf(Ruling.GoOn.class);
    assertThat(rule(new Around(0, 3, 0, false), Action.RETRY_STEP))
        .isEqualTo(
            new Ruling.Stop("nothing helped on 3 hosts of its hardware class that have the same"));
    assertThat(rule(new Around(0, 5, 1, false), Action.RETRY_STEP))
        .as("it helps some")
        .isInstanceOf(Ruling.GoOn.class);
    assertThat(rule(new Around(0, 6, 1, false), Action.RETRY_STEP))
        .as("one that was helped is no reason to go on for ever")
        .isEqualTo(
            new Ruling.Stop(
                "nothing helped on 6 hosts of its hardware class that have the same, something on 1"));
    assertThat(rule(new Around(0, 99, 33, false), Action.RETRY_STEP))
        .isInstanceOf(Ruling.GoOn.class);
  }

  @Test
  void whatFailsAgainSoonAfterItWasHelpedIsForPeople() {
    assertThat(rule(new Around(0, 0, 0, true), Action.RETRY_STEP))
        .isEqualTo(new Ruling.Stop("it was helped less than 60 min ago, in another batch"));
  }
}
