package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Repaired;
import dev.drydock.orchestrator.core.testkit.Story;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A step failed on a host on which nothing may be tried (any more): it is diagnosed all the same.
 */
class LadderlessTest {
  private static final Ladder RETRY = new Ladder(List.of(Rung.RETRY_STEP));
  private static final String FAILED = "Update: dpkg ended with 100";

  /** A batch of one host whose update failed. */
  private static Story failed() {
    return Story.of(Batches.of("h01"))
        .until("Update h01")
        .end("Update h01", JobStatus.FAILED, "dpkg ended with 100");
  }

  @Test
  void aHostWithoutALadderIsDiagnosedBeforeAnythingIsDecided() {
    Story story = failed();
    assertThat(story.offered()).containsExactly("Diagnose h01");
    assertThat(story.decided(Action.Publish.class).getLast().order().facts())
        .isEqualTo(Map.of("failure.step", "Update", "failure.says", FAILED));
    assertThat(story.left("h01")).isEmpty();
    Map<String, String> full = Map.of("diagnosis.signature", "disk-full");
    Repaired.diagnosed(story, "h01", "disk-full: / is full", full);
    assertThat(story.left("h01"))
        .isEqualTo("Quarantined: " + FAILED + "; diagnosis: disk-full: / is full");
    assertThat(story.decided(Action.EndRepair.class))
        .extracting(Action.EndRepair::signature)
        .containsExactly("disk-full");
    assertThat(story.rounds())
        .as("nothing is tried")
        .endsWith("Update h01 Failed", "Diagnose h01 Done");
  }

  @Test
  void aDiagnosisThatEndsBadlyLeavesAHostWithoutALadderToItsPolicies() {
    Story story = failed().unknown("Diagnose h01");
    assertThat(story.left("h01")).isEqualTo("Quarantined: " + FAILED + "; diagnosis: said Unknown");
  }

  @Test
  void aDiagnosisThatNobodyClaimsIsPublishedAgainWithoutALadderToo() {
    Story story = failed().untaken("Diagnose h01");
    assertThat(story.offered()).containsExactly("Diagnose h01");
    assertThat(story.left("h01")).isEmpty();
  }

  /** No rung may be done to it, so what was found long ago need not be found again. */
  @Test
  void whatWasFoundOfAHostWithoutALadderDoesNotGetOld() {
    Story story = failed();
    Instant ended = story.now().now();
    story.meanwhile(batch -> batch.later(Duration.ofMinutes(5)));
    story.end("Diagnose h01", job -> job.with(JobStatus.DONE, 1, "ill", Optional.of(ended)));
    assertThat(story.left("h01")).endsWith("; diagnosis: ill");
  }

  /** A step is remediated once; what another one fails of is found out. */
  @Test
  void whereNothingHelpedAHostIsOnlyDiagnosedWhenAnotherStepFails() {
    Batches batch =
        Batches.of("h01").onHostFailure(OnHostFailure.HOLD).host("h01", one -> one.ladder(RETRY));
    Story story = Story.of(batch).until("Update h01").failed("Update h01");
    Repaired.answers(story, "h01").failed("Update h01").answer(Option.RETRY);
    story.done("Update h01").failed("Health h01");
    assertThat(story.offered()).containsExactly("Diagnose h01");
    Repaired.answers(story, "h01");
    assertThat(story.host("h01").says())
        .startsWith("Health: said Failed; diagnosis: it answers; ")
        .endsWith("drydock decision answer g1.2");
  }

  @Test
  void aHostOnWhichNothingWasBegunIsNotDiagnosed() {
    Story story = Story.of(Batches.of("h01")).until("Update h01");
    story.untouched("Update h01", Mend.PEOPLE, "held").toItsEnd();
    assertThat(story.now().remediations()).isEmpty();
    assertThat(story.left("h01")).startsWith("Reverted: not touched: ");
  }
}
