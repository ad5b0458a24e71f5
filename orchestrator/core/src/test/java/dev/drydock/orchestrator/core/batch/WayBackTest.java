package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.BackTo;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Story;
import org.junit.jupiter.api.Test;

/** Batches that go back: what was begun is undone, and nothing else. */
class WayBackTest {

  private static Story begin(String... hosts) {
    return Story.of(Batches.of(hosts)).decide();
  }

  private static Story back(Story story) {
    return story.meanwhile(batch -> batch.goingBack(BackTo.REVERTED, "because")).decide();
  }

  @Test
  void whatNobodyBeganIsTakenOffTheBoard() {
    Story story = back(begin("a1", "a2"));
    assertThat(story.rounds()).containsExactly("Freeze a1 Cancelled", "Freeze a2 Cancelled");
    assertThat(story.hosts()).isEqualTo("a1 Reverted, a2 Reverted");
    assertThat(story.left("a1")).isEqualTo("Reverted: because");
  }

  @Test
  void drainedHostsAreRecoveredAndTheFreezeOfTheOthersIsLifted() {
    Story story = back(begin("a1", "a2").until("Drain a1").claimed("Drain a1"));
    assertThat(story.waitsFor()).isEqualTo("jobs of a1");
    assertThat(story.offered()).containsExactly("Drain a1", "Unfreeze a2");
    story.done("Drain a1");
    assertThat(story.offered()).containsExactly("Unfreeze a2", "Recover a1");
    assertThat(story.toItsEnd().end()).contains(HostEnd.REVERTED);
  }

  @Test
  void aClaimThatFallsSilentAfterTheTurnIsTakenOffTheBoardAndUndone() {
    Story story = back(begin("a1").until("Drain a1").claimed("Drain a1"));
    assertThat(story.silent("Drain a1").rounds()).contains("Drain a1 Cancelled");
    assertThat(story.offered()).containsExactly("Recover a1");
  }

  @Test
  void aHostWhoseStateIsUnknownIsQuarantinedAndTheOthersAreBroughtBack() {
    Story story = begin("a1", "a2").until("Drain a1").unknown("Drain a1").done("Drain a2");
    assertThat(story.wentBack()).isEqualTo("Reverted: Drain: said Unknown");
    assertThat(story.offered()).containsExactly("Recover a2");
    story.done("Recover a2");
    assertThat(story.left("a1")).isEqualTo("Quarantined: Drain: said Unknown");
    assertThat(story.left("a2")).isEqualTo("Reverted: Drain: said Unknown");
    assertThat(story.end()).contains(HostEnd.QUARANTINED);
  }

  @Test
  void aHostThatCannotBeBroughtBackIsQuarantined() {
    Story story = back(begin("a1", "a2").until("Drain a1").done("Drain a1", "Drain a2"));
    story.failed("Recover a1").done("Recover a2");
    assertThat(story.left("a1")).isEqualTo("Quarantined: Recover: said Failed");
    assertThat(story.left("a2")).isEqualTo("Reverted: because");
  }

  /** I5: a batch was sent back from where there is no way back. */
  @Test
  void aHostThatSomebodyBeganToUpdateIsNotServedAsItWas() {
    Story story = back(begin("a1").until("Update a1").claimed("Update a1"));
    assertThat(story.end()).as("while somebody has it").isEmpty();
    story.done("Update a1");
    assertThat(story.left("a1"))
        .isEqualTo("Quarantined: it cannot go back: somebody was given an update of it");
    assertThat(story.offered()).isEmpty();
  }

  /** The host is drained already: it waits for the operator. */
  @Test
  void anUpdateThatNobodyClaimsIsOfferedAgain() {
    Story story = begin("a1").until("Update a1").untaken("Update a1").untaken("Update a1");
    assertThat(story.wentBack()).isEmpty();
    assertThat(story.offered()).containsExactly("Update a1");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void anAbortTakesItsHostsBackUnlessAnUpdateBegan() {
    Story drained = begin("a1").until("Drain a1");
    drained.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(drained.wentBack()).isEqualTo("Cancelled: aborted by rob");
    assertThat(drained.toItsEnd().hosts()).isEqualTo("a1 Cancelled");
    Story updating = begin("a1").until("Update a1").claimed("Update a1");
    updating.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(updating.wentBack()).isEmpty();
    assertThat(updating.toItsEnd().hosts()).isEqualTo("a1 Upgraded");
  }

  @Test
  void aLaterRunGoesOnWithTheWayBack() {
    Story story = back(begin("a1").until("Drain a1").done("Drain a1")).anotherRun();
    assertThat(story.offered()).containsExactly("Recover a1");
    assertThat(story.jobs().getLast().run()).isEqualTo(2);
    story.anotherRun().untaken("Recover a1").untaken("Recover a1");
    assertThat(story.offered()).as("its time counts from the claim").containsExactly("Recover a1");
    assertThat(story.done("Recover a1").hosts()).isEqualTo("a1 Reverted");
  }

  /** The run that was to take it was followed before anybody did. */
  @Test
  void aJobOfAnEarlierRunThatNobodyTookIsPublishedAgain() {
    Story story = back(begin("a1").until("Drain a1").done("Drain a1"));
    story.meanwhile(batch -> batch.job(JobBuilder.job(Step.RECOVER, "a1").round(4).untaken()));
    story.anotherRun();
    assertThat(story.offered()).containsExactly("Recover a1");
    assertThat(story.done("Recover a1").hosts()).isEqualTo("a1 Reverted");
  }
}
