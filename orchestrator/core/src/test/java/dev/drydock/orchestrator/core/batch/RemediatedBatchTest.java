package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What policies say of hosts that fail comes after their remediation, and a lost run ends it. The
 * control of each, the same without a ladder, is in HostFailureTest.
 */
class RemediatedBatchTest {
  private static final String TRIED =
      "Update: said Failed; remediation tried nothing; last Diagnose: gone";

  /** Hosts that had release 1, and these rungs. */
  private static Batches batch(OnHostFailure policy, List<Rung> rungs, String... hosts) {
    Batches batch = Batches.of(hosts).onHostFailure(policy);
    for (String host : hosts) {
      batch.host(host, one -> one.returnsTo("1").ladder(rungs.toArray(Rung[]::new)));
    }
    return batch;
  }

  /** A batch of two whose update failed on the first, which is being diagnosed. */
  private static BatchScript failed(OnHostFailure policy) {
    BatchScript batchScript =
        BatchScript.of(batch(policy, List.of(Rung.RETRY_STEP), "a1", "a2")).until("Update a1");
    batchScript.failed("Update a1").done("Update a2");
    assertThat(batchScript.offered()).containsExactly("Diagnose a1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH))
        .as("asked before anything was tried")
        .isEmpty();
    return batchScript;
  }

  private static BatchScript alone(OnHostFailure policy, Rung... rungs) {
    return BatchScript.of(batch(policy, List.of(rungs), "a1"));
  }

  /** The step fails, and what is tried then fails as well; people say Retry. */
  private static BatchScript failsWhateverIsTried(
      BatchScript batchScript, String step, String... tried) {
    batchScript.until(step).failed(step);
    Repaired.answers(batchScript, "a1");
    for (int i = 0; i < tried.length - 1; i++) {
      batchScript.done(tried[i]);
    }
    batchScript.failed(tried[tried.length - 1]);
    assertThat(remediations(batchScript)).containsExactly("a1 Exhausted");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    return batchScript.answer(Option.RETRY);
  }

  private static List<String> remediations(BatchScript batchScript) {
    return batchScript.now().remediations().stream()
        .map(one -> one.host() + " " + one.state().word())
        .toList();
  }

  private static String reason(BatchScript batchScript, int question) {
    return batchScript
        .decisions(Kind.BLOCKED_BATCH)
        .get(question - 1)
        .reasons()
        .getOrDefault("a1", "none");
  }

  @Test
  void theOthersGoOnWithoutAHostThatNothingHelped() {
    BatchScript batchScript = Repaired.isGone(failed(OnHostFailure.GO_ON), "a1");
    assertThat(batchScript.left("a1")).isEqualTo("Quarantined: " + TRIED + "; GoOn by policy");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void peopleAreAskedAfterItWithWhatWasTriedAndWhatTheyOrderIsNotRemediatedAgain() {
    BatchScript batchScript = Repaired.isGone(failed(OnHostFailure.ASK), "a1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(reason(batchScript, 1)).isEqualTo(TRIED);
    // A round that people order is published after the remediation ended.
    batchScript.meanwhile(batch -> batch.later(Duration.ofSeconds(1)));
    batchScript.answer(Option.RETRY).failed("Update a1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.2");
    assertThat(reason(batchScript, 2)).isEqualTo("Update: said Failed");
    assertThat(remediations(batchScript)).containsExactly("a1 Exhausted");
  }

  @Test
  void aRetryThatPeopleOrderAfterAWayBackThatFailedIsOfTheUpgrade() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.ROLL_BACK);
    failsWhateverIsTried(batchScript, "Update a1", "Update a1");
    assertThat(batchScript.updates()).containsExactly("the rollout's", "1", "the rollout's");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  /** I5. */
  @Test
  void aHostThatWasChangedIsJudgedBeforePeopleLetItBeRecovered() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.CLEAN_DISK);
    failsWhateverIsTried(batchScript, "Recover a1", "CleanDisk a1");
    assertThat(batchScript.offered()).containsExactly("Health a1");
    batchScript.failed("Health a1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.2");
    assertThat(reason(batchScript, 2)).isEqualTo("Health: said Failed");
    batchScript.answer(Option.RETRY);
    assertThat(batchScript.offered()).containsExactly("Health a1");
    batchScript.done("Health a1");
    assertThat(batchScript.offered()).containsExactly("Recover a1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aRetryThatPeopleOrderJudgesAgainWhatARepairFoundIll() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.CLEAN_DISK);
    failsWhateverIsTried(batchScript, "Recover a1", "CleanDisk a1", "Health a1");
    assertThat(batchScript.offered()).containsExactly("Health a1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
  }

  /** The control: somebody changed a host behind the back of the job that recovers it. */
  @Test
  void noBatchEndsOnAHostThatWasChangedSinceItWasJudged() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.RETRY_STEP).until("Recover a1");
    batchScript.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(99).done()));
    assertThatThrownBy(() -> batchScript.done("Recover a1"))
        .hasMessageContaining("health of a1 did not pass since it was changed");
  }

  /** The update of a host failed, and nobody took the round that was to repair it. */
  private static BatchScript untaken(OnHostFailure policy, Rung... rungs) {
    BatchScript batchScript = alone(policy, rungs).until("Update a1").failed("Update a1");
    Repaired.answers(batchScript, "a1");
    assertThat(batchScript.offered()).containsExactly("Update a1");
    return batchScript.untaken("Update a1");
  }

  /** I5. What was found before may not hold any more once a consumer is there. */
  @ParameterizedTest
  @EnumSource(
      value = OnHostFailure.class,
      names = {"ABORT", "GO_ON"})
  void aRoundThatNobodyTakesIsTriedAgainAndTakesNoHostBack(OnHostFailure policy) {
    BatchScript batchScript = untaken(policy, Rung.RETRY_STEP);
    assertThat(remediations(batchScript)).containsExactly("a1 Open");
    assertThat(batchScript.wentBack()).isEmpty();
    assertThat(batchScript.offered()).containsExactly("Diagnose a1");
    Repaired.answers(batchScript, "a1");
    assertThat(batchScript.offered()).containsExactly("Update a1");
    assertThat(batchScript.toItsEnd().hosts()).contains("a1 Upgraded");
  }

  /** I5: somebody sent a batch back from where there is no way back. */
  @Test
  void noBatchThatGoesBackEndsOnAHostThatSomebodyBeganToUpdate() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.RETRY_STEP).until("Update a1");
    batchScript.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.UPDATE, "a1").round(3).failed("no"))
                .goingBack(RollbackTarget.REVERTED, "sent back"));
    batchScript.decide();
    assertThat(batchScript.offered()).isEmpty();
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: it cannot go back: somebody was given an update of it");
  }

  @Test
  void nobodyIsAskedAboutAHostThatWasHelped() {
    BatchScript batchScript = Repaired.answers(failed(OnHostFailure.ASK), "a1").done("Update a1");
    assertThat(remediations(batchScript)).containsExactly("a1 Resumed");
    assertThat(batchScript.offered()).containsExactly("Health a1", "Health a2");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).isEmpty();
  }

  @Test
  void whatPeopleAreAskedAboutIsNotRemediatedByPoliciesThatCameAfterThat() {
    BatchScript batchScript = alone(OnHostFailure.ASK).until("Update a1").failed("Update a1");
    Repaired.answers(batchScript, "a1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
    batchScript.meanwhile(batch -> batch.host("a1", one -> one.ladder(Rung.RETRY_STEP))).decide();
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(remediations(batchScript)).containsExactly("a1 Exhausted");
  }

  /** I5: the recovery failed, and the host was changed since. */
  @Test
  void aLaterRunDoesNotRecoverAHostBehindTheBackOfItsRemediation() {
    BatchScript batchScript = alone(OnHostFailure.ASK, Rung.POWER_CYCLE).until("Recover a1");
    Repaired.answers(batchScript.failed("Recover a1"), "a1").done("PowerCycle a1").anotherRun();
    assertThat(batchScript.offered()).containsExactly("Verify a1");
    batchScript.done("Verify a1");
    assertThat(batchScript.offered()).containsExactly("Health a1");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aLostRunEndsItAndTheHostIsRead() {
    BatchScript batchScript = failed(OnHostFailure.ABORT).reclaimed();
    assertThat(remediations(batchScript)).containsExactly("a1 Left");
    assertThat(batchScript.now().remediations())
        .extracting(Remediation::says)
        .containsExactly("its batch does not go on");
    assertThat(batchScript.offered()).containsExactly("Verify a1", "Verify a2");
    assertThat(batchScript.rounds()).contains("Diagnose a1 Cancelled");
  }

  @Test
  void aLostRunLetsWhoRepairsTheHostEndBeforeItIsRead() {
    BatchScript batchScript = failed(OnHostFailure.ABORT).claimed("Diagnose a1").reclaimed();
    assertThat(batchScript.offered()).containsExactly("Diagnose a1", "Verify a2");
    batchScript.done("Diagnose a1");
    assertThat(batchScript.offered()).containsExactly("Verify a2", "Verify a1");
  }
}
