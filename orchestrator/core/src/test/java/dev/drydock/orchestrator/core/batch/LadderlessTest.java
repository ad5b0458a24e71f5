package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Repaired;
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
  private static BatchScript failed() {
    return BatchScript.of(Batches.of("h01"))
        .until("Update h01")
        .end("Update h01", JobStatus.FAILED, "dpkg ended with 100");
  }

  @Test
  void aHostWithoutALadderIsDiagnosedBeforeAnythingIsDecided() {
    BatchScript batchScript = failed();
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
    assertThat(batchScript.decided(Action.Publish.class).getLast().order().facts())
        .isEqualTo(Map.of("failure.step", "Update", "failure.says", FAILED));
    assertThat(batchScript.left("h01")).isEmpty();
    Map<String, String> full = Map.of("diagnosis.signature", "disk-full");
    Repaired.diagnosed(batchScript, "h01", "disk-full: / is full", full);
    assertThat(batchScript.left("h01"))
        .isEqualTo("Quarantined: " + FAILED + "; diagnosis: disk-full: / is full");
    assertThat(batchScript.decided(Action.EndRepair.class))
        .extracting(Action.EndRepair::signature)
        .containsExactly("disk-full");
    assertThat(batchScript.rounds())
        .as("nothing is tried")
        .endsWith("Update h01 Failed", "Diagnose h01 Done");
  }

  @Test
  void aDiagnosisThatEndsBadlyLeavesAHostWithoutALadderToItsPolicies() {
    BatchScript batchScript = failed().unknown("Diagnose h01");
    assertThat(batchScript.left("h01"))
        .isEqualTo("Quarantined: " + FAILED + "; diagnosis: said Unknown");
  }

  @Test
  void aDiagnosisThatNobodyClaimsIsPublishedAgainWithoutALadderToo() {
    BatchScript batchScript = failed().untaken("Diagnose h01");
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
    assertThat(batchScript.left("h01")).isEmpty();
  }

  /** No rung may be done to it, so what was found long ago need not be found again. */
  @Test
  void whatWasFoundOfAHostWithoutALadderDoesNotGetOld() {
    BatchScript batchScript = failed();
    Instant ended = batchScript.now().now();
    batchScript.meanwhile(batch -> batch.later(Duration.ofMinutes(5)));
    batchScript.end("Diagnose h01", job -> job.with(JobStatus.DONE, 1, "ill", Optional.of(ended)));
    assertThat(batchScript.left("h01")).endsWith("; diagnosis: ill");
  }

  /** A step is remediated once; what another one fails of is found out. */
  @Test
  void whereNothingHelpedAHostIsOnlyDiagnosedWhenAnotherStepFails() {
    Batches batch =
        Batches.of("h01").onHostFailure(OnHostFailure.ASK).host("h01", one -> one.ladder(RETRY));
    BatchScript batchScript = BatchScript.of(batch).until("Update h01").failed("Update h01");
    Repaired.answers(batchScript, "h01").failed("Update h01").answer(Option.RETRY);
    batchScript.done("Update h01").failed("Health h01");
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
    Repaired.answers(batchScript, "h01");
    assertThat(batchScript.host("h01").says())
        .startsWith("Health: said Failed; diagnosis: it answers; ")
        .endsWith("drydock decision answer g1.2");
  }

  @Test
  void aHostOnWhichNothingWasBegunIsNotDiagnosed() {
    BatchScript batchScript = BatchScript.of(Batches.of("h01")).until("Update h01");
    batchScript.untouched("Update h01", Mend.PEOPLE, "held").toItsEnd();
    assertThat(batchScript.now().remediations()).isEmpty();
    assertThat(batchScript.left("h01")).startsWith("Reverted: not touched: ");
  }
}
