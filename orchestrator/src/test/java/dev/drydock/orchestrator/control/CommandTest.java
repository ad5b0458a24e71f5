package dev.drydock.orchestrator.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.RolloutState;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CommandTest {
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
  void leadsFromStateToState(Command command, RolloutState from, RolloutState to) {
    assertThat(command.from(from, false)).contains(to);
  }

  @Test
  void whatIsResumedBeforeItsTimeWaitsForIt() {
    assertThat(Command.RESUME.from(RolloutState.Paused, true)).contains(RolloutState.Scheduled);
  }

  @ParameterizedTest
  @EnumSource(value = RolloutState.class, mode = EnumSource.Mode.EXCLUDE, names = "$UNKNOWN")
  void theSameCommandAgainChangesNothing(RolloutState from) {
    for (Command command : Command.values()) {
      Optional<RolloutState> once = command.from(from, false);
      once.ifPresent(
          state -> assertThat(command.from(state, false)).as("%s twice", command).contains(state));
    }
  }

  @ParameterizedTest
  @EnumSource(value = RolloutState.class, mode = EnumSource.Mode.EXCLUDE, names = "$UNKNOWN")
  void nothingLeadsBackFromAnAbortOrAnEnd(RolloutState from) {
    if (from != RolloutState.Aborting && !ENDED.contains(from)) {
      return;
    }
    for (Command command : Command.values()) {
      assertThat(command.from(from, false).orElse(from)).isEqualTo(from);
    }
    assertThat(Command.RESUME.from(from, false)).isEmpty();
    assertThat(Command.PAUSE.from(from, false)).isEmpty();
  }
}
