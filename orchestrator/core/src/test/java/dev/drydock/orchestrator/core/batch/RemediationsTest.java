package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Remediation.State;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One remediation, step by step. */
class RemediationsTest {
  private static final Ladder RETRY = new Ladder(List.of(Rung.RETRY_STEP));
  private static final String FAILED = "Update: dpkg ended with 100";

  /** A batch of one host whose update failed. */
  private static BatchScript failed(Ladder ladder) {
    Batches batch = Batches.of("h01").host("h01", one -> one.returnsTo("1").ladder(ladder));
    return BatchScript.of(batch)
        .until("Update h01")
        .end("Update h01", JobStatus.FAILED, "dpkg ended with 100");
  }

  private static BatchScript diagnosed(BatchScript batchScript) {
    return Repaired.answers(batchScript, "h01");
  }

  private static Remediation remediation(BatchScript batchScript) {
    return batchScript.now().remediations().getFirst();
  }

  private static Map<String, String> told(BatchScript batchScript) {
    return batchScript.decided(Action.Publish.class).getLast().order().facts();
  }

  /** How often the update was really given to somebody. */
  private static long givenOut(BatchScript batchScript) {
    return batchScript.jobs().stream()
        .filter(job -> job.step() == Step.UPDATE && job.given())
        .count();
  }

  private static List<String> rounds(BatchScript batchScript) {
    List<String> rounds = batchScript.rounds();
    return rounds.subList(rounds.indexOf("Update h01 Failed"), rounds.size());
  }

  @Test
  void aDiagnosisIsToldWhatFailed() {
    BatchScript batchScript = failed(new Ladder(List.of(Rung.RETRY_STEP, Rung.REIMAGE)));
    assertThat(told(batchScript))
        .isEqualTo(Map.of("failure.step", "Update", "failure.says", FAILED));
    diagnosed(batchScript);
    assertThat(batchScript.offered()).containsExactly("Update h01");
    batchScript.end("Update h01", JobStatus.FAILED, "it would remove own-tool");
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
    assertThat(told(batchScript))
        .as("by now something else is the matter")
        .isEqualTo(Map.of("failure.step", "Update", "failure.says", "it would remove own-tool"));
  }

  @Test
  void aRetryIsANewRoundAndResumesThePhase() {
    BatchScript batchScript = failed(RETRY);
    assertThat(rounds(batchScript)).containsExactly("Update h01 Failed", "Diagnose h01 Pending");
    assertThat(batchScript.waitsFor()).isEqualTo("remediation of h01");
    assertThat(batchScript.host("h01").step()).isEqualTo("Update");
    assertThat(batchScript.host("h01").says()).isEqualTo(FAILED + "; remediation: Diagnose");
    diagnosed(batchScript);
    assertThat(rounds(batchScript))
        .containsExactly("Update h01 Failed", "Diagnose h01 Done", "Update h01 Pending");
    assertThat(batchScript.waitsFor()).startsWith("g1.Update.h01.");
    batchScript.done("Update h01");
    assertThat(givenOut(batchScript)).isEqualTo(2);
    assertThat(remediation(batchScript).state()).isEqualTo(State.RESUMED);
    assertThat(batchScript.offered()).containsExactly("Health h01");
    assertThat(batchScript.host("h01").says()).isEmpty();
    assertThat(remediation(batchScript).taken().stream().map(step -> step.action().word()))
        .containsExactly("Diagnose", "RetryStep");
  }

  @Test
  void whatWasTriedIsToldOfTheHost() {
    BatchScript batchScript = diagnosed(failed(RETRY));
    assertThat(batchScript.decided(Action.ShowReason.class).stream().map(Action.ShowReason::reason))
        .containsExactly(FAILED + "; remediation: Diagnose", FAILED + "; remediation: RetryStep");
    batchScript.done("Update h01");
    assertThat(remediation(batchScript).says()).isEqualTo("RetryStep helped");
  }

  /** The control: a retry that is not done again, but gets the result of the last one. */
  @Test
  void aRetryThatIsNoNewRoundIsFoundOut() {
    BatchScript batchScript = diagnosed(failed(RETRY));
    batchScript.end(
        "Update h01",
        job -> job.with(JobStatus.FAILED, 0, "dpkg ended with 100", Optional.of(JobBuilder.NOW)));
    assertThat(givenOut(batchScript)).isNotEqualTo(2);
    assertThat(remediation(batchScript).state()).isNotEqualTo(State.RESUMED);
  }

  @Test
  void whatDoesNotHelpEndsInAQuarantineWithWhatWasTried() {
    BatchScript batchScript = diagnosed(failed(RETRY));
    batchScript.end("Update h01", JobStatus.FAILED, "dpkg ended with 100 again");
    assertThat(remediation(batchScript).state()).isEqualTo(State.EXHAUSTED);
    assertThat(batchScript.left("h01"))
        .isEqualTo(
            "Quarantined: "
                + FAILED
                + "; remediation tried RetryStep; last RetryStep: dpkg ended with 100 again");
  }

  @Test
  void aRoundThatBeganSinceTheLastOneFailedIsWaitedFor() {
    BatchScript batchScript = diagnosed(failed(RETRY)).claimed("Update h01").decide();
    assertThat(batchScript.waitsFor()).startsWith("g1.Update.h01.");
    assertThat(rounds(batchScript))
        .containsExactly("Update h01 Failed", "Diagnose h01 Done", "Update h01 Claimed");
  }

  /** A remediation that is open keeps what it published; the run that works the batch owns it. */
  @Test
  void aLaterRunOfTheBatchGivesOutWhatAnEarlierOnePublished() {
    BatchScript batchScript = failed(RETRY).anotherRun();
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
    assertThat(batchScript.jobs().getLast().run()).isEqualTo(2);
  }

  @Test
  void endsWhenPeopleTakeTheHost() {
    BatchScript batchScript = failed(RETRY).meanwhile(batch -> batch.without("h01").quarantined());
    batchScript.meanwhile(batch -> batch.job(cancelled(batchScript))).decide();
    assertThat(remediation(batchScript).state()).isEqualTo(State.LEFT);
    assertThat(remediation(batchScript).says()).isEqualTo("its host was taken out of the batch");
  }

  /** The board takes jobs of a host away together with it. */
  private static BatchJob cancelled(BatchScript batchScript) {
    return batchScript.jobs().getLast().cancelled(batchScript.now().now());
  }

  /** Its only rung waits for a person. */
  private static BatchScript asked() {
    BatchScript batchScript =
        diagnosed(failed(new Ladder(List.of(Rung.RETRY_STEP), Set.of(Rung.RETRY_STEP))));
    assertThat(approval(batchScript).answer()).isEmpty();
    assertThat(batchScript.offered()).isEmpty();
    return batchScript;
  }

  private static Decision approval(BatchScript batchScript) {
    return batchScript.decisions(Kind.REPAIR_APPROVAL).getFirst();
  }

  @Test
  void whatPeopleApproveIsTried() {
    BatchScript batchScript = asked();
    assertThat(batchScript.host("h01").says())
        .isEqualTo(
            FAILED
                + "; remediation: RetryStep waits for approval,"
                + " Diagnose: it answers; drydock decision answer g1.1");
    assertThat(batchScript.approve(true).offered()).containsExactly("Update h01");
  }

  @Test
  void whatPeopleRefuseIsNot() {
    BatchScript batchScript = asked().approve(false);
    assertThat(batchScript.left("h01")).contains("remediation tried nothing");
  }

  @Test
  void whatNobodyApprovesInTimeIsLeftOut() {
    BatchScript batchScript = asked();
    assertThat(batchScript.nextLook())
        .contains(JobBuilder.NOW.plus(RepairApprovalRequests.REMIND_EVERY));
    batchScript.later(RepairApprovalRequests.EXPIRES_AFTER);
    assertThat(batchScript.decided(Action.Withdraw.class))
        .extracting(withdrawn -> withdrawn.decision().answer().orElseThrow().reason())
        .containsExactly("nobody answered in time");
    Repaired.answers(batchScript, "h01");
    assertThat(remediation(batchScript).state()).isEqualTo(State.EXHAUSTED);
    assertThat(batchScript.hosts()).isEqualTo("h01 Quarantined");
  }

  @Test
  void peopleAreRemindedOfWhatTheyHaveNotAnswered() {
    BatchScript batchScript = asked().later(RepairApprovalRequests.REMIND_EVERY.minusSeconds(1));
    assertThat(batchScript.decided(Action.Remind.class)).isEmpty();
    batchScript.later(Duration.ofSeconds(1));
    assertThat(batchScript.decided(Action.Remind.class)).hasSize(1);
    assertThat(approval(batchScript).answer()).isEmpty();
  }

  @Test
  void nobodyIsWaitedForOnceTheRolloutIsAborted() {
    BatchScript batchScript = asked();
    batchScript.meanwhile(batch -> batch.aborting("aborted by rob")).decide();
    assertThat(batchScript.decided(Action.Withdraw.class))
        .extracting(withdrawn -> withdrawn.decision().answer().orElseThrow().reason())
        .containsExactly("its rollout was aborted");
    assertThat(remediation(batchScript).state()).isEqualTo(State.EXHAUSTED);
  }

  @Test
  void aQuestionIsOverWhenPeopleTakeTheHost() {
    BatchScript batchScript =
        asked().meanwhile(batch -> batch.without("h01").quarantined()).decide();
    assertThat(remediation(batchScript).state()).isEqualTo(State.LEFT);
    assertThat(approval(batchScript).answer()).as("nobody answers it any more").isEmpty();
  }

  @Test
  void roomIsMadeForAnUpdateThatBeganNothingForWantOfIt() {
    BatchScript batchScript = refused("space", Rung.CLEAN_DISK, Rung.REIMAGE);
    diagnosed(batchScript);
    assertThat(batchScript.offered()).containsExactly("CleanDisk h01");
    batchScript.done("CleanDisk h01").done("Update h01").toItsEnd();
    assertThat(batchScript.left("h01")).startsWith("Upgraded");
  }

  @Test
  void aHostForWhichNoRoomCouldBeMadeIsAsItWasAndGoesBack() {
    BatchScript batchScript = refused("space", Rung.CLEAN_DISK, Rung.REIMAGE);
    diagnosed(batchScript);
    batchScript.failed("CleanDisk h01").toItsEnd();
    assertThat(batchScript.left("h01")).startsWith("Reverted: not touched: ");
  }

  /** The control: whatever else is the matter, nothing is tried on a host that was not touched. */
  @Test
  void nothingElseIsTriedOnAHostThatWasNotTouched() {
    BatchScript batchScript = refused("held", Rung.CLEAN_DISK, Rung.REIMAGE);
    assertThat(batchScript.offered()).containsExactly("Recover h01");
    batchScript.toItsEnd();
    assertThat(batchScript.left("h01")).startsWith("Reverted: not touched: ");
  }

  /** Its Update began nothing, and says why. */
  private static BatchScript refused(String cause, Rung... rungs) {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(new Ladder(List.of(rungs))));
    return BatchScript.of(batch).until("Update h01").untouched("Update h01", Mend.PEOPLE, cause);
  }

  /** So that repairs do not become a storm of their own. */
  @Test
  void whatActsOnAHostWaitsForItsTurn() {
    BatchScript batchScript = failed(new Ladder(List.of(Rung.CLEAN_DISK)));
    batchScript.meanwhile(batch -> batch.load("h01", new RepairLoad(2, 0, 0, false)));
    diagnosed(batchScript);
    assertThat(batchScript.offered()).isEmpty();
    assertThat(batchScript.host("h01").says())
        .isEqualTo(FAILED + "; remediation: CleanDisk waits, 2 hosts are being mended");
    batchScript.meanwhile(batch -> batch.load("h01", new RepairLoad(1, 0, 0, false))).decide();
    assertThat(batchScript.offered()).containsExactly("CleanDisk h01");
  }

  /** What was found while it waited may not hold any more. */
  @Test
  void aHostThatWaitedForItsTurnIsDiagnosedAgain() {
    BatchScript batchScript = failed(new Ladder(List.of(Rung.CLEAN_DISK)));
    batchScript.meanwhile(batch -> batch.load("h01", new RepairLoad(2, 0, 0, false)));
    diagnosed(batchScript).later(Duration.ofMinutes(2));
    assertThat(batchScript.offered()).containsExactly("Diagnose h01");
  }

  @Test
  void aHostThatNothingElseHelpedGoesBackToTheReleaseBefore() {
    BatchScript batchScript = diagnosed(failed(new Ladder(List.of(Rung.ROLL_BACK))));
    assertThat(batchScript.updates()).containsExactly("the rollout's", "1");
    batchScript.done("Update h01").toItsEnd();
    assertThat(batchScript.left("h01"))
        .isEqualTo("Reverted: taken back to release 1, as nothing else helped: " + FAILED);
  }

  @Test
  void aHostWhosePackagesCannotGoBackIsNotTakenBack() {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(Rung.ROLL_BACK));
    BatchScript batchScript =
        diagnosed(BatchScript.of(batch).until("Update h01").failed("Update h01"));
    assertThat(batchScript.left("h01"))
        .isEqualTo("Quarantined: Update: said Failed; diagnosis: it answers");
  }

  @Test
  void nothingIsTriedBeforeTheUpdate() {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(RETRY));
    BatchScript batchScript = BatchScript.of(batch).decide().failed("Cordon h01");
    assertThat(batchScript.now().remediations()).isEmpty();
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Cordon: said Failed");
  }
}
