package dev.drydock.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.EventKind;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobState;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kinds whose names are made of what they tell: an end without one could not be recorded. */
class EventKindTest {
  static Stream<String> made() {
    var ends =
        EnumSet.complementOf(
            EnumSet.of(
                HostUpgradeState.Pending,
                HostUpgradeState.InProgress,
                HostUpgradeState.Cancelled, // No batch ends so.
                HostUpgradeState.$UNKNOWN));
    var results =
        EnumSet.complementOf(
            EnumSet.of(
                JobState.Pending,
                JobState.Claimed,
                JobState.Cancelled, // Untold: nobody has it.
                JobState.$UNKNOWN));
    return Stream.of(
            ends.stream().map(state -> "Host" + state),
            Stream.of("HostRequeued"),
            results.stream().map(result -> "Job" + result))
        .flatMap(names -> names);
  }

  @ParameterizedTest
  @MethodSource("made")
  void everyEndHasAKind(String name) {
    assertThat(EventKind.values()).extracting(EventKind::name).contains(name);
  }
}
