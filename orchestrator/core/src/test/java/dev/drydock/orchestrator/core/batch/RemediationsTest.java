package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Remediation.State;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import dev.drydock.orchestrator.core.testkit.Story;
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
  private static Story failed(Ladder ladder) {
    Batches batch = Batches.of("h01").host("h01", one -> one.returnsTo("1").ladder(ladder));
    return Story.of(batch)
        .until("Update h01")
        .end("Update h01", JobStatus.FAILED, "dpkg ended with 100");
  }

  private static Story diagnosed(Story story) {
    return Repaired.answers(story, "h01");
  }

  private static Remediation remediation(Story story) {
    return story.now().remediations().getFirst();
  }

  private static Map<String, String> told(Story story) {
    return story.decided(Action.Publish.class).getLast().order().facts();
  }

  /** How often the update was really given to somebody. */
  private static long givenOut(Story story) {
    return story.jobs().stream().filter(job -> job.step() == Step.UPDATE && job.given()).count();
  }

  private static List<String> rounds(Story story) {
    List<String> rounds = story.rounds();
    return rounds.subList(rounds.indexOf("Update h01 Failed"), rounds.size());
  }

  @Test
  void aDiagnosisIsToldWhatFailed() {
    Story story = failed(new Ladder(List.of(Rung.RETRY_STEP, Rung.REIMAGE)));
    assertThat(told(story)).isEqualTo(Map.of("failure.step", "Update", "failure.says", FAILED));
    diagnosed(story);
    assertThat(story.offered()).containsExactly("Update h01");
    story.end("Update h01", JobStatus.FAILED, "it would remove own-tool");
    assertThat(story.offered()).containsExactly("Diagnose h01");
    assertThat(told(story))
        .as("by now something else is the matter")
        .isEqualTo(Map.of("failure.step", "Update", "failure.says", "it would remove own-tool"));
  }

  @Test
  void aRetryIsANewRoundAndResumesThePhase() {
    Story story = failed(RETRY);
    assertThat(rounds(story)).containsExactly("Update h01 Failed", "Diagnose h01 Pending");
    assertThat(story.waitsFor()).isEqualTo("remediation of h01");
    assertThat(story.host("h01").step()).isEqualTo("Update");
    assertThat(story.host("h01").says()).isEqualTo(FAILED + "; remediation: Diagnose");
    diagnosed(story);
    assertThat(rounds(story))
        .containsExactly("Update h01 Failed", "Diagnose h01 Done", "Update h01 Pending");
    assertThat(story.waitsFor()).startsWith("g1.Update.h01.");
    story.done("Update h01");
    assertThat(givenOut(story)).isEqualTo(2);
    assertThat(remediation(story).state()).isEqualTo(State.RESUMED);
    assertThat(story.offered()).containsExactly("Health h01");
    assertThat(story.host("h01").says()).isEmpty();
    assertThat(remediation(story).taken().stream().map(step -> step.action().word()))
        .containsExactly("Diagnose", "RetryStep");
  }

  @Test
  void whatWasTriedIsToldOfTheHost() {
    Story story = diagnosed(failed(RETRY));
    assertThat(story.decided(Action.ShowReason.class).stream().map(Action.ShowReason::reason))
        .containsExactly(FAILED + "; remediation: Diagnose", FAILED + "; remediation: RetryStep");
    story.done("Update h01");
    assertThat(remediation(story).says()).isEqualTo("RetryStep helped");
  }

  /** The control: a retry that is not done again, but gets the result of the last one. */
  @Test
  void aRetryThatIsNoNewRoundIsFoundOut() {
    Story story = diagnosed(failed(RETRY));
    story.end(
        "Update h01",
        job -> job.with(JobStatus.FAILED, 0, "dpkg ended with 100", Optional.of(JobBuilder.NOW)));
    assertThat(givenOut(story)).isNotEqualTo(2);
    assertThat(remediation(story).state()).isNotEqualTo(State.RESUMED);
  }

  @Test
  void whatDoesNotHelpEndsInAQuarantineWithWhatWasTried() {
    Story story = diagnosed(failed(RETRY));
    story.end("Update h01", JobStatus.FAILED, "dpkg ended with 100 again");
    assertThat(remediation(story).state()).isEqualTo(State.EXHAUSTED);
    assertThat(story.left("h01"))
        .isEqualTo(
            "Quarantined: "
                + FAILED
                + "; remediation tried RetryStep; last RetryStep: dpkg ended with 100 again");
  }

  @Test
  void aRoundThatBeganSinceTheLastOneFailedIsWaitedFor() {
    Story story = diagnosed(failed(RETRY)).claimed("Update h01").decide();
    assertThat(story.waitsFor()).startsWith("g1.Update.h01.");
    assertThat(rounds(story))
        .containsExactly("Update h01 Failed", "Diagnose h01 Done", "Update h01 Claimed");
  }

  /** A remediation that is open keeps what it published; the run that works the batch owns it. */
  @Test
  void aLaterRunOfTheBatchGivesOutWhatAnEarlierOnePublished() {
    Story story = failed(RETRY).anotherRun();
    assertThat(story.offered()).containsExactly("Diagnose h01");
    assertThat(story.jobs().getLast().run()).isEqualTo(2);
  }

  @Test
  void endsWhenPeopleTakeTheHost() {
    Story story = failed(RETRY).meanwhile(batch -> batch.without("h01").quarantined());
    story.meanwhile(batch -> batch.job(cancelled(story))).decide();
    assertThat(remediation(story).state()).isEqualTo(State.LEFT);
    assertThat(remediation(story).says()).isEqualTo("its host was taken out of the batch");
  }

  /** The board takes jobs of a host away together with it. */
  private static Job cancelled(Story story) {
    return story.jobs().getLast().cancelled(story.now().now());
  }

  /** Its only rung waits for a person. */
  private static Story asked() {
    Story story = diagnosed(failed(new Ladder(List.of(Rung.RETRY_STEP), Set.of(Rung.RETRY_STEP))));
    assertThat(approval(story).answer()).isEmpty();
    assertThat(story.offered()).isEmpty();
    return story;
  }

  private static Decision approval(Story story) {
    return story.decisions(Kind.REPAIR_APPROVAL).getFirst();
  }

  @Test
  void whatPeopleApproveIsTried() {
    Story story = asked();
    assertThat(story.host("h01").says())
        .isEqualTo(
            FAILED
                + "; remediation: RetryStep waits for approval,"
                + " Diagnose: it answers; drydock decision answer g1.1");
    assertThat(story.approve(true).offered()).containsExactly("Update h01");
  }

  @Test
  void whatPeopleRefuseIsNot() {
    Story story = asked().approve(false);
    assertThat(story.left("h01")).contains("remediation tried nothing");
  }

  @Test
  void whatNobodyApprovesInTimeIsLeftOut() {
    Story story = asked();
    assertThat(story.nextLook()).contains(JobBuilder.NOW.plus(RepairApprovals.REMIND_EVERY));
    story.later(RepairApprovals.EXPIRES_AFTER);
    assertThat(story.decided(Action.Withdraw.class))
        .extracting(withdrawn -> withdrawn.decision().answer().orElseThrow().reason())
        .containsExactly("nobody answered in time");
    Repaired.answers(story, "h01");
    assertThat(remediation(story).state()).isEqualTo(State.EXHAUSTED);
    assertThat(story.hosts()).isEqualTo("h01 Quarantined");
  }

  @Test
  void peopleAreRemindedOfWhatTheyHaveNotAnswered() {
    Story story = asked().later(RepairApprovals.REMIND_EVERY.minusSeconds(1));
    assertThat(story.decided(Action.Remind.class)).isEmpty();
    story.later(Duration.ofSeconds(1));
    assertThat(story.decided(Action.Remind.class)).hasSize(1);
    assertThat(approval(story).answer()).isEmpty();
  }

  @Test
  void nobodyIsWaitedForOnceTheRolloutIsAborted() {
    Story story = asked();
    story.meanwhile(batch -> batch.aborting("aborted by rob")).decide();
    assertThat(story.decided(Action.Withdraw.class))
        .extracting(withdrawn -> withdrawn.decision().answer().orElseThrow().reason())
        .containsExactly("its rollout was aborted");
    assertThat(remediation(story).state()).isEqualTo(State.EXHAUSTED);
  }

  @Test
  void aQuestionIsOverWhenPeopleTakeTheHost() {
    Story story = asked().meanwhile(batch -> batch.without("h01").quarantined()).decide();
    assertThat(remediation(story).state()).isEqualTo(State.LEFT);
    assertThat(approval(story).answer()).as("nobody answers it any more").isEmpty();
  }

  @Test
  void roomIsMadeForAnUpdateThatBeganNothingForWantOfIt() {
    Story story = refused("space", Rung.CLEAN_DISK, Rung.REIMAGE);
    diagnosed(story);
    assertThat(story.offered()).containsExactly("CleanDisk h01");
    story.done("CleanDisk h01").done("Update h01").toItsEnd();
    assertThat(story.left("h01")).startsWith("Upgraded");
  }

  @Test
  void aHostForWhichNoRoomCouldBeMadeIsAsItWasAndGoesBack() {
    Story story = refused("space", Rung.CLEAN_DISK, Rung.REIMAGE);
    diagnosed(story);
    story.failed("CleanDisk h01").toItsEnd();
    assertThat(story.left("h01")).startsWith("Reverted: not touched: ");
  }

  /** The control: whatever else is the matter, nothing is tried on a host that was not touched. */
  @Test
  void nothingElseIsTriedOnAHostThatWasNotTouched() {
    Story story = refused("held", Rung.CLEAN_DISK, Rung.REIMAGE);
    assertThat(story.offered()).containsExactly("Recover h01");
    story.toItsEnd();
    assertThat(story.left("h01")).startsWith("Reverted: not touched: ");
  }

  /** Its Update began nothing, and says why. */
  private static Story refused(String cause, Rung... rungs) {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(new Ladder(List.of(rungs))));
    return Story.of(batch).until("Update h01").untouched("Update h01", Mend.PEOPLE, cause);
  }

  /** So that repairs do not become a storm of their own. */
  @Test
  void whatActsOnAHostWaitsForItsTurn() {
    Story story = failed(new Ladder(List.of(Rung.CLEAN_DISK)));
    story.meanwhile(batch -> batch.load("h01", new RepairLoad(2, 0, 0, false)));
    diagnosed(story);
    assertThat(story.offered()).isEmpty();
    assertThat(story.host("h01").says())
        .isEqualTo(FAILED + "; remediation: CleanDisk waits, 2 hosts are being mended");
    story.meanwhile(batch -> batch.load("h01", new RepairLoad(1, 0, 0, false))).decide();
    assertThat(story.offered()).containsExactly("CleanDisk h01");
  }

  /** What was found while it waited may not hold any more. */
  @Test
  void aHostThatWaitedForItsTurnIsDiagnosedAgain() {
    Story story = failed(new Ladder(List.of(Rung.CLEAN_DISK)));
    story.meanwhile(batch -> batch.load("h01", new RepairLoad(2, 0, 0, false)));
    diagnosed(story).later(Duration.ofMinutes(2));
    assertThat(story.offered()).containsExactly("Diagnose h01");
  }

  @Test
  void aHostThatNothingElseHelpedGoesBackToTheReleaseBefore() {
    Story story = diagnosed(failed(new Ladder(List.of(Rung.ROLL_BACK))));
    assertThat(story.updates()).containsExactly("the rollout's", "1");
    story.done("Update h01").toItsEnd();
    assertThat(story.left("h01"))
        .isEqualTo("Reverted: taken back to release 1, as nothing else helped: " + FAILED);
  }

  @Test
  void aHostWhosePackagesCannotGoBackIsNotTakenBack() {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(Rung.ROLL_BACK));
    Story story = diagnosed(Story.of(batch).until("Update h01").failed("Update h01"));
    assertThat(story.left("h01"))
        .isEqualTo("Quarantined: Update: said Failed; diagnosis: it answers");
  }

  @Test
  void nothingIsTriedBeforeTheUpdate() {
    Batches batch = Batches.of("h01").host("h01", one -> one.ladder(RETRY));
    Story story = Story.of(batch).decide().failed("Freeze h01");
    assertThat(story.now().remediations()).isEmpty();
    assertThat(story.wentBack()).isEqualTo("Reverted: Freeze: said Failed");
  }
}
