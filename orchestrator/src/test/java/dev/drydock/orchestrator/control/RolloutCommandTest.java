package dev.drydock.orchestrator.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.RolloutState;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RolloutCommandTest {
  private static final Set<RolloutState> ENDED =
      Set.of(RolloutState.Succeeded, RolloutState.Degraded, RolloutState.Aborted);

  @ParameterizedTest
  @CsvSource({
    "PAUSE, Scheduled, Paused",
    "PAUSE, Running, Paused",
    "RESUME, Paused, Running",
    "ABORT, Scheduled, Aborting",
    "ABORT, Running, Aborting",
    "ABORT, Paused, Aborting",
  })
  void leadsFromStateToState(RolloutCommand rolloutCommand, RolloutState from, RolloutState to) {
    assertThat(rolloutCommand.from(from, false)).contains(to);
  }

  @Test
  void whatIsResumedBeforeItsTimeWaitsForIt() {
    assertThat(RolloutCommand.RESUME.from(RolloutState.Paused, true))
        .contains(RolloutState.Scheduled);
  }

  @ParameterizedTest
  @EnumSource(value = RolloutState.class, mode = EnumSource.Mode.EXCLUDE, names = "$UNKNOWN")
  void theSameCommandAgainChangesNothing(RolloutState from) {
    for (RolloutCommand rolloutCommand : RolloutCommand.values()) {
      Optional<RolloutState> once = rolloutCommand.from(from, false);
      once.ifPresent(
          state ->
              assertThat(rolloutCommand.from(state, false))
                  .as("%s twice", rolloutCommand)
                  .contains(state));
    }
  }

  @ParameterizedTest
  @EnumSource(value = RolloutState.class, mode = EnumSource.Mode.EXCLUDE, names = "$UNKNOWN")
  void nothingLeadsBackFromAnAbortOrAnEnd(RolloutState from) {
    if (from != RolloutState.Aborting && !ENDED.contains(from)) {
      return;
    }
    for (RolloutCommand rolloutCommand : RolloutCommand.values()) {
      assertThat(rolloutCommand.from(from, false).orElse(from)).isEqualTo(from);
    }
    assertThat(RolloutCommand.RESUME.from(from, false)).isEmpty();
    assertThat(RolloutCommand.PAUSE.from(from, false)).isEmpty();
  }
}
