package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.temporal.client.WorkflowFailedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a batch is looked at, and that its hold is ended last; each step from the history alone. */
@Timeout(120)
class BatchWorkflowTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofSeconds(5);

  private final Flow flow = new Flow();

  @AfterEach
  void stop() {
    flow.close();
  }

  @Test
  void drivesTheBatchUntilItHasEndedAndEndsTheHoldLast() {
    assertThat(run(new ScriptedBatch().rests(SHORT, SHORT)))
        .containsExactly("begin g1", "drive", "drive", "drive", "end hold");
  }

  @Test
  void anEndedGrantIsNotDriven() {
    assertThat(run(new ScriptedBatch().over())).containsExactly("begin g1", "end hold");
  }

  @Test
  void looksAgainAfterTheRestWithoutAnyWakeUp() {
    long before = flow.now();
    assertThat(run(new ScriptedBatch().rests(SHORT, LONG)))
        .containsExactly("begin g1", "drive", "drive", "drive", "end hold");
    assertThat(since(before)).isGreaterThanOrEqualTo(LONG.plus(SHORT));
  }

  /** Nobody waits for its result: so no wait is skipped, and an hour would last an hour. */
  @Test
  void aWakeUpMakesItLookAtOnce() throws Exception {
    ScriptedBatch batch = new ScriptedBatch().rests(LONG);
    BatchWorkflow workflow = flow.start(batch);
    assertThat(batch.waited()).isTrue();
    workflow.wake("g1.Update.h01.1");
    assertThat(batch.ended()).isTrue();
  }

  /** What woke it may have happened after the look had read the rows. */
  @Test
  void aWakeUpDuringALookIsFollowedByAnother() throws Exception {
    ScriptedBatch batch =
        new ScriptedBatch().rests(LONG).meanwhile(() -> flow.batch().wake("g1.Update.h01.1"));
    flow.start(batch);
    assertThat(batch.ended()).isTrue();
  }

  /** The timer of an earlier look runs longer than this one rests. */
  @Test
  void aShorterRestIsNotLengthenedByAnEarlierOne() throws Exception {
    ScriptedBatch batch = new ScriptedBatch().rests(LONG, Duration.ofSeconds(1));
    BatchWorkflow workflow = flow.start(batch);
    assertThat(batch.waited()).isTrue();
    workflow.wake("g1.Update.h01.1");
    assertThat(batch.ended()).isTrue();
  }

  /** Nothing is the matter with a batch because nobody can read its rows. */
  @Test
  void outlastsADayWithoutPostgresql() {
    ScriptedBatch batch = new ScriptedBatch();
    long before = flow.now();
    batch.failsWhile(() -> flow.now() < before + Duration.ofDays(1).toMillis());
    assertThat(run(batch)).startsWith("begin g1").endsWith("end hold");
    assertThat(flow.events()).as("Temporal keeps 51,200 of a history").isLessThan(12_000);
  }

  /** The control: what trying again cannot help ends the run at its first try. */
  @Test
  void aRunThatAnotherTookOverFailsAtOnce() {
    ScriptedBatch batch = new ScriptedBatch().takenOver();
    assertThatThrownBy(() -> run(batch)).isInstanceOf(WorkflowFailedException.class);
    assertThat(batch.asked()).containsExactly("begin g1", "drive");
  }

  private Duration since(long before) {
    return Duration.ofMillis(flow.now() - before);
  }

  private List<String> run(ScriptedBatch batch) {
    flow.run(batch);
    return batch.asked();
  }
}
