package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.BackTo;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import dev.drydock.orchestrator.core.testkit.Story;
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
  private static Story failed(OnHostFailure policy) {
    Story story = Story.of(batch(policy, List.of(Rung.RETRY_STEP), "a1", "a2")).until("Update a1");
    story.failed("Update a1").done("Update a2");
    assertThat(story.offered()).containsExactly("Diagnose a1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).as("asked before anything was tried").isEmpty();
    return story;
  }

  private static Story alone(OnHostFailure policy, Rung... rungs) {
    return Story.of(batch(policy, List.of(rungs), "a1"));
  }

  /** The step fails, and what is tried then fails as well; people say Retry. */
  private static Story failsWhateverIsTried(Story story, String step, String... tried) {
    story.until(step).failed(step);
    Repaired.answers(story, "a1");
    for (int i = 0; i < tried.length - 1; i++) {
      story.done(tried[i]);
    }
    story.failed(tried[tried.length - 1]);
    assertThat(remediations(story)).containsExactly("a1 Exhausted");
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    return story.answer(Option.RETRY);
  }

  private static List<String> remediations(Story story) {
    return story.now().remediations().stream()
        .map(one -> one.host() + " " + one.state().word())
        .toList();
  }

  private static String reason(Story story, int question) {
    return story
        .decisions(Kind.BLOCKED_BATCH)
        .get(question - 1)
        .reasons()
        .getOrDefault("a1", "none");
  }

  @Test
  void theOthersGoOnWithoutAHostThatNothingHelped() {
    Story story = Repaired.isGone(failed(OnHostFailure.GO_ON), "a1");
    assertThat(story.left("a1")).isEqualTo("Quarantined: " + TRIED + "; GoOn by policy");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void peopleAreAskedAfterItWithWhatWasTriedAndWhatTheyOrderIsNotRemediatedAgain() {
    Story story = Repaired.isGone(failed(OnHostFailure.HOLD), "a1");
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(reason(story, 1)).isEqualTo(TRIED);
    // A round that people order is published after the remediation ended.
    story.meanwhile(batch -> batch.later(Duration.ofSeconds(1)));
    story.answer(Option.RETRY).failed("Update a1");
    assertThat(story.waitsFor()).isEqualTo("answer to g1.2");
    assertThat(reason(story, 2)).isEqualTo("Update: said Failed");
    assertThat(remediations(story)).containsExactly("a1 Exhausted");
  }

  @Test
  void aRetryThatPeopleOrderAfterAWayBackThatFailedIsOfTheUpgrade() {
    Story story = alone(OnHostFailure.HOLD, Rung.ROLL_BACK);
    failsWhateverIsTried(story, "Update a1", "Update a1");
    assertThat(story.updates()).containsExactly("the rollout's", "1", "the rollout's");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  /** I5. */
  @Test
  void aHostThatWasChangedIsJudgedBeforePeopleLetItBeRecovered() {
    Story story = alone(OnHostFailure.HOLD, Rung.CLEAN_DISK);
    failsWhateverIsTried(story, "Recover a1", "CleanDisk a1");
    assertThat(story.offered()).containsExactly("Health a1");
    story.failed("Health a1");
    assertThat(story.waitsFor()).isEqualTo("answer to g1.2");
    assertThat(reason(story, 2)).isEqualTo("Health: said Failed");
    story.answer(Option.RETRY);
    assertThat(story.offered()).containsExactly("Health a1");
    story.done("Health a1");
    assertThat(story.offered()).containsExactly("Recover a1");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aRetryThatPeopleOrderJudgesAgainWhatARepairFoundIll() {
    Story story = alone(OnHostFailure.HOLD, Rung.CLEAN_DISK);
    failsWhateverIsTried(story, "Recover a1", "CleanDisk a1", "Health a1");
    assertThat(story.offered()).containsExactly("Health a1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
  }

  /** The control: somebody changed a host behind the back of the job that recovers it. */
  @Test
  void noBatchEndsOnAHostThatWasChangedSinceItWasJudged() {
    Story story = alone(OnHostFailure.HOLD, Rung.RETRY_STEP).until("Recover a1");
    story.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(99).done()));
    assertThatThrownBy(() -> story.done("Recover a1"))
        .hasMessageContaining("health of a1 did not pass since it was changed");
  }

  /** The update of a host failed, and nobody took the round that was to repair it. */
  private static Story untaken(OnHostFailure policy, Rung... rungs) {
    Story story = alone(policy, rungs).until("Update a1").failed("Update a1");
    Repaired.answers(story, "a1");
    assertThat(story.offered()).containsExactly("Update a1");
    return story.untaken("Update a1");
  }

  /** I5. What was found before may not hold any more once a consumer is there. */
  @ParameterizedTest
  @EnumSource(
      value = OnHostFailure.class,
      names = {"ABORT", "GO_ON"})
  void aRoundThatNobodyTakesIsTriedAgainAndTakesNoHostBack(OnHostFailure policy) {
    Story story = untaken(policy, Rung.RETRY_STEP);
    assertThat(remediations(story)).containsExactly("a1 Open");
    assertThat(story.wentBack()).isEmpty();
    assertThat(story.offered()).containsExactly("Diagnose a1");
    Repaired.answers(story, "a1");
    assertThat(story.offered()).containsExactly("Update a1");
    assertThat(story.toItsEnd().hosts()).contains("a1 Upgraded");
  }

  /** I5: somebody sent a batch back from where there is no way back. */
  @Test
  void noBatchThatGoesBackEndsOnAHostThatSomebodyBeganToUpdate() {
    Story story = alone(OnHostFailure.HOLD, Rung.RETRY_STEP).until("Update a1");
    story.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.UPDATE, "a1").round(3).failed("no"))
                .goingBack(BackTo.REVERTED, "sent back"));
    story.decide();
    assertThat(story.offered()).isEmpty();
    assertThat(story.left("a1"))
        .isEqualTo("Quarantined: it cannot go back: somebody was given an update of it");
  }

  @Test
  void nobodyIsAskedAboutAHostThatWasHelped() {
    Story story = Repaired.answers(failed(OnHostFailure.HOLD), "a1").done("Update a1");
    assertThat(remediations(story)).containsExactly("a1 Resumed");
    assertThat(story.offered()).containsExactly("Health a1", "Health a2");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).isEmpty();
  }

  @Test
  void whatPeopleAreAskedAboutIsNotRemediatedByPoliciesThatCameAfterThat() {
    Story story = alone(OnHostFailure.HOLD).until("Update a1").failed("Update a1");
    Repaired.answers(story, "a1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
    story.meanwhile(batch -> batch.host("a1", one -> one.ladder(Rung.RETRY_STEP))).decide();
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(remediations(story)).containsExactly("a1 Exhausted");
  }

  /** I5: the recovery failed, and the host was changed since. */
  @Test
  void aLaterRunDoesNotRecoverAHostBehindTheBackOfItsRemediation() {
    Story story = alone(OnHostFailure.HOLD, Rung.POWER_CYCLE).until("Recover a1");
    Repaired.answers(story.failed("Recover a1"), "a1").done("PowerCycle a1").anotherRun();
    assertThat(story.offered()).containsExactly("Verify a1");
    story.done("Verify a1");
    assertThat(story.offered()).containsExactly("Health a1");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aLostRunEndsItAndTheHostIsRead() {
    Story story = failed(OnHostFailure.ABORT).reclaimed();
    assertThat(remediations(story)).containsExactly("a1 Left");
    assertThat(story.now().remediations())
        .extracting(Remediation::says)
        .containsExactly("its batch does not go on");
    assertThat(story.offered()).containsExactly("Verify a1", "Verify a2");
    assertThat(story.rounds()).contains("Diagnose a1 Cancelled");
  }

  @Test
  void aLostRunLetsWhoRepairsTheHostEndBeforeItIsRead() {
    Story story = failed(OnHostFailure.ABORT).claimed("Diagnose a1").reclaimed();
    assertThat(story.offered()).containsExactly("Diagnose a1", "Verify a2");
    story.done("Diagnose a1");
    assertThat(story.offered()).containsExactly("Verify a2", "Verify a1");
  }
}
