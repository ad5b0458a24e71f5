package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a decision expects of the rows after each of its actions is what the interpreter writes. */
@Tag("stack")
final class DraftComparisonTest {
  /** They change nothing of what a decision reads, as far as it is compared. */
  private static final Set<Class<? extends Action>> WITHOUT_A_TRACE =
      Set.of(Action.InPhase.class, Action.ForgetRelease.class, Action.Wait.class);

  /** Each situation is played once, for all tests that look at it. */
  private static final Map<BatchScenarios, Played> WHOLE = new EnumMap<>(BatchScenarios.class);

  @ParameterizedTest
  @EnumSource
  void theDraftIsWhatIsRead(BatchScenarios batchScenarios) {
    Played played = whole(batchScenarios);
    assertThat(played.differences()).isEmpty();
    assertThat(played.seen()).isNotEmpty();
  }

  /** The control: where it is dropped, each kind of action that leaves a trace is missed. */
  @Test
  void everyKindOfActionIsMissedWhereItIsDropped() {
    Set<Class<?>> seen = new HashSet<>();
    for (BatchScenarios batchScenarios : BatchScenarios.values()) {
      seen.addAll(whole(batchScenarios).seen());
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Action.class.getPermittedSubclasses())
                .filter(kind -> !WITHOUT_A_TRACE.contains(kind))
                .toList());
  }

  /** The control: a writer that drops an action. */
  @Test
  void aWriterThatDropsAnActionIsFound() {
    assertThat(played(BatchScenarios.ABORTED, Action.GoBack.class::isInstance).differences())
        .anySatisfy(found -> assertThat(found).contains("grant.turnedBack"));
  }

  private static Played whole(BatchScenarios batchScenarios) {
    return WHOLE.computeIfAbsent(batchScenarios, one -> played(one, action -> false));
  }

  private static Played played(BatchScenarios batchScenarios, Predicate<Action> dropped) {
    try (TestDatabase database = new TestDatabase()) {
      DraftComparison draftComparison = new DraftComparison(database.jdbi(), dropped);
      try {
        batchScenarios.play(draftComparison);
      } catch (AssertionError stuck) {
        // A batch may not come to its end if an action was dropped.
        assertThat(draftComparison.differences()).as(stuck.getMessage()).isNotEmpty();
      }
      return new Played(draftComparison.differences(), draftComparison.seen());
    }
  }

  /** What was found on the way. */
  private record Played(List<String> differences, Set<Class<? extends Action>> seen) {}
}
