package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import org.junit.jupiter.api.Test;

/** Batches that go back: what was begun is undone, and nothing else. */
class RollbackPhaseTest {

  private static BatchScript begin(String... hosts) {
    return BatchScript.of(Batches.of(hosts)).decide();
  }

  private static BatchScript back(BatchScript batchScript) {
    return batchScript
        .meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "because"))
        .decide();
  }

  @Test
  void whatNobodyBeganIsTakenOffTheBoard() {
    BatchScript batchScript = back(begin("a1", "a2"));
    assertThat(batchScript.rounds()).containsExactly("Cordon a1 Cancelled", "Cordon a2 Cancelled");
    assertThat(batchScript.hosts()).isEqualTo("a1 Reverted, a2 Reverted");
    assertThat(batchScript.left("a1")).isEqualTo("Reverted: because");
  }

  @Test
  void drainedHostsAreRecoveredAndTheCordonOfTheOthersIsLifted() {
    BatchScript batchScript = back(begin("a1", "a2").until("Drain a1").claimed("Drain a1"));
    assertThat(batchScript.waitsFor()).isEqualTo("jobs of a1");
    assertThat(batchScript.offered()).containsExactly("Drain a1", "Uncordon a2");
    batchScript.done("Drain a1");
    assertThat(batchScript.offered()).containsExactly("Uncordon a2", "Recover a1");
    assertThat(batchScript.toItsEnd().end()).contains(HostEnd.REVERTED);
  }

  @Test
  void aClaimThatFallsSilentAfterTheTurnIsTakenOffTheBoardAndUndone() {
    BatchScript batchScript = back(begin("a1").until("Drain a1").claimed("Drain a1"));
    assertThat(batchScript.silent("Drain a1").rounds()).contains("Drain a1 Cancelled");
    assertThat(batchScript.offered()).containsExactly("Recover a1");
  }

  @Test
  void aHostWhoseStateIsUnknownIsQuarantinedAndTheOthersAreBroughtBack() {
    BatchScript batchScript =
        begin("a1", "a2").until("Drain a1").unknown("Drain a1").done("Drain a2");
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Drain: said Unknown");
    assertThat(batchScript.offered()).containsExactly("Recover a2");
    batchScript.done("Recover a2");
    assertThat(batchScript.left("a1")).isEqualTo("Quarantined: Drain: said Unknown");
    assertThat(batchScript.left("a2")).isEqualTo("Reverted: Drain: said Unknown");
    assertThat(batchScript.end()).contains(HostEnd.QUARANTINED);
  }

  @Test
  void aHostThatCannotBeBroughtBackIsQuarantined() {
    BatchScript batchScript =
        back(begin("a1", "a2").until("Drain a1").done("Drain a1", "Drain a2"));
    batchScript.failed("Recover a1").done("Recover a2");
    assertThat(batchScript.left("a1")).isEqualTo("Quarantined: Recover: said Failed");
    assertThat(batchScript.left("a2")).isEqualTo("Reverted: because");
  }

  /** I5: a batch was sent back from where there is no way back. */
  @Test
  void aHostThatSomebodyBeganToUpdateIsNotServedAsItWas() {
    BatchScript batchScript = back(begin("a1").until("Update a1").claimed("Update a1"));
    assertThat(batchScript.end()).as("while somebody has it").isEmpty();
    batchScript.done("Update a1");
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: it cannot go back: somebody was given an update of it");
    assertThat(batchScript.offered()).isEmpty();
  }

  /** The host is drained already: it waits for the operator. */
  @Test
  void anUpdateThatNobodyClaimsIsOfferedAgain() {
    BatchScript batchScript =
        begin("a1").until("Update a1").untaken("Update a1").untaken("Update a1");
    assertThat(batchScript.wentBack()).isEmpty();
    assertThat(batchScript.offered()).containsExactly("Update a1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void anAbortTakesItsHostsBackUnlessAnUpdateBegan() {
    BatchScript drained = begin("a1").until("Drain a1");
    drained.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(drained.wentBack()).isEqualTo("Cancelled: aborted by rob");
    assertThat(drained.toItsEnd().hosts()).isEqualTo("a1 Cancelled");
    BatchScript updating = begin("a1").until("Update a1").claimed("Update a1");
    updating.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(updating.wentBack()).isEmpty();
    assertThat(updating.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aLaterRunGoesOnWithTheWayBack() {
    BatchScript batchScript = back(begin("a1").until("Drain a1").done("Drain a1")).anotherRun();
    assertThat(batchScript.offered()).containsExactly("Recover a1");
    assertThat(batchScript.jobs().getLast().run()).isEqualTo(2);
    batchScript.anotherRun().untaken("Recover a1").untaken("Recover a1");
    assertThat(batchScript.offered())
        .as("its time counts from the claim")
        .containsExactly("Recover a1");
    assertThat(batchScript.done("Recover a1").hosts()).isEqualTo("a1 Reverted");
  }

  /** The run that was to take it was followed before anybody did. */
  @Test
  void aJobOfAnEarlierRunThatNobodyTookIsPublishedAgain() {
    BatchScript batchScript = back(begin("a1").until("Drain a1").done("Drain a1"));
    batchScript.meanwhile(
        batch -> batch.job(JobBuilder.job(Step.RECOVER, "a1").round(4).untaken()));
    batchScript.anotherRun();
    assertThat(batchScript.offered()).containsExactly("Recover a1");
    assertThat(batchScript.done("Recover a1").hosts()).isEqualTo("a1 Reverted");
  }
}
