package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch whose run was lost while some of its hosts were being updated and others not yet. */
class ReclaimTest {

  /** Its first host was given to a consumer that updated it, its second to nobody. */
  private static BatchScript lostInUpdate(String... hosts) {
    BatchScript batchScript = BatchScript.of(Batches.of(hosts)).until("Update " + hosts[0]);
    // The run was lost before it heard of that.
    return batchScript
        .meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, hosts[0]).round(3).done()))
        .reclaimed();
  }

  /** It is updated, what comes before the step is done, and the step is as told. */
  private static BatchScript lostAt(Step step, JobStatus status, int attempt) {
    BatchScript batchScript = BatchScript.of(Batches.of("e1")).until(step.word() + " e1");
    int round = batchScript.jobs().getLast().round();
    batchScript.meanwhile(
        batch -> batch.job(JobBuilder.job(step, "e1").round(round).is(status, attempt)));
    return batchScript.reclaimed();
  }

  /** The last two jobs. */
  private static List<String> last(BatchScript batchScript) {
    List<String> rounds = new ArrayList<>(batchScript.rounds());
    return rounds.subList(rounds.size() - 2, rounds.size());
  }

  @Test
  void hostsThatWereUpdatedComeBackAndTheOthersGoBack() {
    BatchScript batchScript = lostInUpdate("a1", "a2");
    assertThat(batchScript.rounds()).contains("Update a2 Cancelled");
    assertThat(batchScript.offered()).containsExactly("Verify a1");
    batchScript.done("Verify a1");
    assertThat(batchScript.offered()).containsExactly("Health a1");
    batchScript.done("Health a1");
    assertThat(batchScript.offered()).containsExactly("Recover a1");
    batchScript.done("Recover a1");
    assertThat(batchScript.left("a1")).isEqualTo("Upgraded: its run was lost");
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: its run was lost");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Requeued");
    assertThat(batchScript.end()).contains(HostEnd.REQUEUED);
    assertThat(batchScript.rounds().stream().filter(job -> job.startsWith("Update")))
        .as("none but those of the lost run")
        .hasSize(2);
  }

  @Test
  void aHostThatIsNotOnTheReleaseStaysBehindAlone() {
    BatchScript batchScript = lostInUpdate("b1", "b2").failed("Verify b1");
    assertThat(batchScript.left("b1"))
        .isEqualTo("Quarantined: its run was lost; Verify: said Failed");
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: its run was lost");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("b1 Quarantined, b2 Requeued");
  }

  /** What the host itself recorded counts, whatever its consumer was given. */
  @Test
  void aHostOnWhichNothingWasBegunIsBroughtBackAndWaitsAgain() {
    BatchScript batchScript = lostInUpdate("b1", "b2").read("Verify b1", false);
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: its run was lost");
    assertThat(batchScript.offered()).contains("Recover b1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("b1 Requeued, b2 Requeued");
    assertThat(batchScript.rounds()).noneMatch(job -> job.startsWith("Health b1"));
  }

  /** Half an update is worse than a whole. */
  @Test
  void aHostThatStandsHalfwayIsUpdatedToTheEnd() {
    BatchScript batchScript = lostInUpdate("b1", "b2").read("Verify b1", true);
    assertThat(batchScript.offered()).containsExactly("Update b1");
    batchScript.done("Update b1", "Verify b1", "Health b1", "Recover b1");
    assertThat(batchScript.left("b1")).isEqualTo("Upgraded: its run was lost");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("b1 Upgraded, b2 Requeued");
  }

  /** The control. */
  @Test
  void aHostThatStillStandsHalfwayThenStaysBehind() {
    BatchScript batchScript = lostInUpdate("b1", "b2").read("Verify b1", true).done("Update b1");
    batchScript.read("Verify b1", true);
    assertThat(batchScript.left("b1")).startsWith("Quarantined: its run was lost; Verify: ");
  }

  @Test
  void anUpdateThatFailsAgainIsLeftToPeople() {
    BatchScript batchScript = lostInUpdate("b1", "b2").read("Verify b1", true).failed("Update b1");
    assertThat(batchScript.offered()).containsExactly("Verify b1");
    batchScript.read("Verify b1", true);
    assertThat(batchScript.left("b1")).startsWith("Quarantined: its run was lost; Update: ");
  }

  /** Nobody took its update before that run was lost as well: what was read still holds. */
  @Test
  void theNextRunAsksForAnUpdateThatNobodyTook() {
    BatchScript batchScript = lostInUpdate("b1").read("Verify b1", true).reclaimed();
    assertThat(batchScript.rounds()).contains("Update b1 Cancelled");
    assertThat(batchScript.offered()).containsExactly("Update b1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("b1 Upgraded");
  }

  /** It may have been recovered in what the copy lost: it is drained, by a verdict, and updated. */
  @Test
  void whereRowsDoNotTellAHostThatStandsHalfwayIsDrainedFirst() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.blind().hooked(false))).reclaimed();
    batchScript.read("Verify f1", true);
    assertThat(batchScript.offered()).isEmpty();
    assertThat(batchScript.waitsFor()).isEqualTo("verdict of the open check");
    batchScript.granted();
    assertThat(batchScript.offered()).containsExactly("Drain f1");
    batchScript.done("Drain f1");
    assertThat(batchScript.offered()).containsExactly("Update f1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("f1 Upgraded");
  }

  /** The row of its grant was made by recovery: nobody ever asked for a check. */
  @Test
  void whereNoRowTellsOfTheOpenCheckItIsAskedForBeforeTheDrain() {
    BatchScript batchScript =
        BatchScript.of(
                Batches.of("f1").grant(one -> one.blind().hooked(false).stage(GrantStage.OPEN)))
            .reclaimed();
    batchScript.read("Verify f1", true);
    assertThat(batchScript.offered()).as("nobody would be given it").isEmpty();
    assertThat(batchScript.granted().offered()).containsExactly("Drain f1");
  }

  @Test
  void aVerdictThatWaitsIsAskedForAgainLater() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.blind().hooked(false))).reclaimed();
    batchScript.read("Verify f1", true).held("too many are down");
    assertThat(batchScript.left("f1")).isEmpty();
    assertThat(batchScript.nextLook()).contains(batchScript.now().now().plus(Check.VERDICT_MAX));
    batchScript.later(Check.VERDICT_MAX).granted();
    assertThat(batchScript.offered()).containsExactly("Drain f1");
  }

  /** The wrapper on the host goes on without its consumer. */
  @Test
  void anUpdateWhoseConsumerFellSilentIsGivenOutAgain() {
    BatchScript batchScript = lostInUpdate("b1").read("Verify b1", true);
    batchScript.claimed("Update b1").silent("Update b1");
    assertThat(batchScript.offered()).containsExactly("Update b1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("b1 Upgraded");
  }

  @Test
  void whyAHostThatStandsHalfwayWaitsIsTold() {
    BatchScript batchScript = blind("f1");
    batchScript.read("Verify f1", true).held("too many are down");
    assertThat(batchScript.host("f1").says())
        .startsWith("it stands halfway through its update")
        .endsWith(": too many are down");
    batchScript.later(Check.VERDICT_MAX).granted();
    assertThat(batchScript.host("f1").says()).isEmpty();
  }

  /** The others are down meanwhile. */
  @Test
  void othersDoNotWaitForeverForAHostThatMayNotBeDrained() {
    BatchScript batchScript = blind("f1", "f2");
    batchScript.read("Verify f1", true).read("Verify f2", false);
    for (int asked = 1; asked < 5; asked++) {
      batchScript.held("windows closed");
      assertThat(batchScript.left("f1")).as("asked %d times", asked).isEmpty();
      batchScript.later(Check.VERDICT_MAX);
    }
    batchScript.held("windows closed");
    assertThat(batchScript.left("f1"))
        .startsWith("Quarantined: its run was lost; it stands halfway through its update")
        .endsWith(": windows closed");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("f1 Quarantined, f2 Requeued");
  }

  @Test
  void oneThatIsAloneInItsBatchWaitsForAsLongAsItTakes() {
    BatchScript batchScript = blind("f1");
    batchScript.read("Verify f1", true);
    for (int asked = 1; asked < 9; asked++) {
      batchScript.held("windows closed").later(Check.VERDICT_MAX);
    }
    assertThat(batchScript.granted().toItsEnd().hosts()).isEqualTo("f1 Upgraded");
  }

  /** What a host recorded under an id is not done once more under the same one. */
  @Test
  void whereRowsDoNotTellRoundsBeginBehindAllThatCanHaveBeen() {
    assertThat(blind("f1").jobs().getFirst().round()).isGreaterThan(1_000);
  }

  private static BatchScript blind(String... hosts) {
    return BatchScript.of(Batches.of(hosts).grant(one -> one.blind().hooked(false))).reclaimed();
  }

  @Test
  void aHostThatStandsHalfwayIsLeftToPeopleWhereHooksGoWithIt() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.blind())).reclaimed();
    batchScript.read("Verify f1", true);
    assertThat(batchScript.left("f1")).startsWith("Quarantined: its run was lost; Verify: ");
  }

  /** It may have been drained since the copy: no row tells, and it is brought back all the same. */
  @Test
  void whereRowsDoNotTellAHostOnWhichNothingWasBegunIsBroughtBack() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1", "f2").grant(one -> one.blind().hooked(false)));
    batchScript.reclaimed().read("Verify f1", false).read("Verify f2", false);
    assertThat(batchScript.offered()).containsExactlyInAnyOrder("Recover f1", "Recover f2");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("f1 Requeued, f2 Requeued");
  }

  /** A recovery from before the copy brings back nothing. */
  @Test
  void whereRowsDoNotTellARecoveryOfBeforeDoesNotCount() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.hooked(false))).until("Recover f1");
    int round = batchScript.jobs().getLast().round();
    batchScript.meanwhile(
        batch ->
            batch
                .grant(one -> one.blind())
                .job(JobBuilder.job(Step.RECOVER, "f1").round(round).done()));
    batchScript.reclaimed().read("Verify f1", false);
    assertThat(batchScript.offered()).containsExactly("Recover f1");
  }

  @Test
  void whereRowsOfHooksWereLostAHostOnWhichNothingWasBegunIsLeftToPeople() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.blind())).reclaimed();
    batchScript.read("Verify f1", false);
    assertThat(batchScript.left("f1")).contains("nothing of its update was begun, but which hooks");
  }

  /** I2: what it is given after the reading is newer than that. */
  @ParameterizedTest
  @EnumSource(names = {"HEALTH", "RECOVER"})
  void whatSomebodyHasEndsBeforeItsHostIsRead(Step step) {
    BatchScript batchScript = lostAt(step, JobStatus.CLAIMED, 1);
    assertThat(batchScript.offered())
        .as("while somebody has it")
        .containsExactly(step.word() + " e1");
    batchScript.done(step.word() + " e1");
    assertThat(last(batchScript)).containsExactly(step.word() + " e1 Done", "Verify e1 Pending");
  }

  @ParameterizedTest
  @EnumSource(names = {"HEALTH", "RECOVER"})
  void whatNobodyHasIsAskedForAnewAfterItsHostWasRead(Step step) {
    for (int attempt : new int[] {0, 1}) {
      BatchScript batchScript = lostAt(step, JobStatus.PENDING, attempt);
      assertThat(last(batchScript))
          .containsExactly(step.word() + " e1 Cancelled", "Verify e1 Pending");
      batchScript.done("Verify e1");
      assertThat(last(batchScript)).containsExactly("Verify e1 Done", step.word() + " e1 Pending");
      assertThat(batchScript.rounds()).contains(step.word() + " e1 Cancelled");
    }
  }

  /** A remediation stops applications again once their host is updated. */
  @Test
  void aDrainAfterTheUpdateEndsBeforeItsHostIsRead() {
    BatchScript batchScript = BatchScript.of(Batches.of("e1")).until("Recover e1");
    batchScript.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.RECOVER, "e1").round(5).failed("no"))
                .job(JobBuilder.job(Step.DRAIN, "e1").round(9).claimed()));
    batchScript.reclaimed();
    assertThat(batchScript.offered()).as("while somebody drains it").containsExactly("Drain e1");
    batchScript.silent("Drain e1");
    assertThat(last(batchScript)).containsExactly("Drain e1 Cancelled", "Verify e1 Pending");
  }

  /** I5: its run was lost right after something was done to a host whose recovery nobody took. */
  @Test
  void aHostThatWasChangedSinceItWasJudgedIsJudgedAgain() {
    BatchScript batchScript = lostInUpdate("d1").done("Verify d1");
    int round = batchScript.jobs().getLast().round();
    batchScript.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.HEALTH, "d1").round(round).run(2).done())
                .job(JobBuilder.job(Step.UPDATE, "d1").round(99).done()));
    batchScript.decide().done("Verify d1");
    assertThat(batchScript.rounds()).noneMatch(job -> job.startsWith("Recover"));
    assertThat(batchScript.offered()).containsExactly("Health d1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEndOfTheBatchKeepsItFromBeingReclaimed(boolean alive) {
    BatchScript batchScript = BatchScript.of(Batches.of("c1")).decide();
    if (!alive) {
      batchScript.meanwhile(batch -> batch.grant(one -> one.ended()));
    }
    batchScript.reclaimed();
    assertThat(batchScript.end().isPresent()).isEqualTo(alive);
  }

  /** P9: a restore lost the rows that would say whether somebody was sent to it. */
  @Test
  void whereRowsDoNotTellEveryHostIsRead() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1", "f2").grant(one -> one.blind())).reclaimed();
    assertThat(batchScript.offered()).containsExactly("Verify f1", "Verify f2");
  }

  /** Whether hooks ran is lost as well: nothing may come before their recovery. */
  @Test
  void whereRowsOfHooksWereLostNoHostIsRecovered() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("f1").grant(one -> one.blind())).reclaimed();
    batchScript.done("Verify f1", "Health f1");
    assertThat(batchScript.left("f1"))
        .startsWith("Quarantined: its run was lost; it is updated and healthy, but whether hooks");
  }
}
