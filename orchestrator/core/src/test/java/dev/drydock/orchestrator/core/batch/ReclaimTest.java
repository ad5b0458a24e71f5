package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Story;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch whose run was lost while some of its hosts were being updated and others not yet. */
class ReclaimTest {

  /** Its first host was given to a consumer that updated it, its second to nobody. */
  private static Story lostInUpdate(String... hosts) {
    Story story = Story.of(Batches.of(hosts)).until("Update " + hosts[0]);
    // The run was lost before it heard of that.
    return story
        .meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, hosts[0]).round(3).done()))
        .reclaimed();
  }

  /** It is updated, what comes before the step is done, and the step is as told. */
  private static Story lostAt(Step step, JobStatus status, int attempt) {
    Story story = Story.of(Batches.of("e1")).until(step.word() + " e1");
    int round = story.jobs().getLast().round();
    story.meanwhile(
        batch -> batch.job(JobBuilder.job(step, "e1").round(round).is(status, attempt)));
    return story.reclaimed();
  }

  /** The last two jobs. */
  private static List<String> last(Story story) {
    List<String> rounds = new ArrayList<>(story.rounds());
    return rounds.subList(rounds.size() - 2, rounds.size());
  }

  @Test
  void hostsThatWereUpdatedComeBackAndTheOthersGoBack() {
    Story story = lostInUpdate("a1", "a2");
    assertThat(story.rounds()).contains("Update a2 Cancelled");
    assertThat(story.offered()).containsExactly("Verify a1");
    story.done("Verify a1");
    assertThat(story.offered()).containsExactly("Health a1");
    story.done("Health a1");
    assertThat(story.offered()).containsExactly("Recover a1");
    story.done("Recover a1");
    assertThat(story.left("a1")).isEqualTo("Upgraded: its run was lost");
    assertThat(story.wentBack()).isEqualTo("Held: its run was lost");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Held");
    assertThat(story.end()).contains(HostEnd.HELD);
    assertThat(story.rounds().stream().filter(job -> job.startsWith("Update")))
        .as("none but those of the lost run")
        .hasSize(2);
  }

  @Test
  void aHostThatIsNotOnTheReleaseStaysBehindAlone() {
    Story story = lostInUpdate("b1", "b2").failed("Verify b1");
    assertThat(story.left("b1")).isEqualTo("Quarantined: its run was lost; Verify: said Failed");
    assertThat(story.wentBack()).isEqualTo("Held: its run was lost");
    assertThat(story.toItsEnd().hosts()).isEqualTo("b1 Quarantined, b2 Held");
  }

  /** What the host itself recorded counts, whatever its consumer was given. */
  @Test
  void aHostOnWhichNothingWasBegunIsBroughtBackAndWaitsAgain() {
    Story story = lostInUpdate("b1", "b2").read("Verify b1", false);
    assertThat(story.wentBack()).isEqualTo("Held: its run was lost");
    assertThat(story.offered()).contains("Recover b1");
    assertThat(story.toItsEnd().hosts()).isEqualTo("b1 Held, b2 Held");
    assertThat(story.rounds()).noneMatch(job -> job.startsWith("Health b1"));
  }

  /** The control. */
  @Test
  void aHostOnWhichSomethingWasBegunAndThatIsNotOnTheReleaseStaysBehind() {
    Story story = lostInUpdate("b1", "b2").read("Verify b1", true);
    assertThat(story.left("b1")).startsWith("Quarantined: its run was lost; Verify: ");
  }

  /** It may have been drained since the copy: no row tells, and it is brought back all the same. */
  @Test
  void whereRowsDoNotTellAHostOnWhichNothingWasBegunIsBroughtBack() {
    Story story = Story.of(Batches.of("f1", "f2").grant(one -> one.blind().hooked(false)));
    story.reclaimed().read("Verify f1", false).read("Verify f2", false);
    assertThat(story.offered()).containsExactlyInAnyOrder("Recover f1", "Recover f2");
    assertThat(story.toItsEnd().hosts()).isEqualTo("f1 Held, f2 Held");
  }

  /** A recovery from before the copy brings back nothing. */
  @Test
  void whereRowsDoNotTellARecoveryOfBeforeDoesNotCount() {
    Story story = Story.of(Batches.of("f1").grant(one -> one.hooked(false))).until("Recover f1");
    int round = story.jobs().getLast().round();
    story.meanwhile(
        batch ->
            batch
                .grant(one -> one.blind())
                .job(JobBuilder.job(Step.RECOVER, "f1").round(round).done()));
    story.reclaimed().read("Verify f1", false);
    assertThat(story.offered()).containsExactly("Recover f1");
  }

  @Test
  void whereRowsOfHooksWereLostAHostOnWhichNothingWasBegunIsLeftToPeople() {
    Story story = Story.of(Batches.of("f1").grant(one -> one.blind())).reclaimed();
    story.read("Verify f1", false);
    assertThat(story.left("f1")).contains("nothing of its update was begun, but which hooks");
  }

  /** I2: what it is given after the reading is newer than that. */
  @ParameterizedTest
  @EnumSource(names = {"HEALTH", "RECOVER"})
  void whatSomebodyHasEndsBeforeItsHostIsRead(Step step) {
    Story story = lostAt(step, JobStatus.CLAIMED, 1);
    assertThat(story.offered()).as("while somebody has it").containsExactly(step.word() + " e1");
    story.done(step.word() + " e1");
    assertThat(last(story)).containsExactly(step.word() + " e1 Done", "Verify e1 Pending");
  }

  @ParameterizedTest
  @EnumSource(names = {"HEALTH", "RECOVER"})
  void whatNobodyHasIsAskedForAnewAfterItsHostWasRead(Step step) {
    for (int attempt : new int[] {0, 1}) {
      Story story = lostAt(step, JobStatus.PENDING, attempt);
      assertThat(last(story)).containsExactly(step.word() + " e1 Cancelled", "Verify e1 Pending");
      story.done("Verify e1");
      assertThat(last(story)).containsExactly("Verify e1 Done", step.word() + " e1 Pending");
      assertThat(story.rounds()).contains(step.word() + " e1 Cancelled");
    }
  }

  /** A remediation stops applications again once their host is updated. */
  @Test
  void aDrainAfterTheUpdateEndsBeforeItsHostIsRead() {
    Story story = Story.of(Batches.of("e1")).until("Recover e1");
    story.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.RECOVER, "e1").round(5).failed("no"))
                .job(JobBuilder.job(Step.DRAIN, "e1").round(9).claimed()));
    story.reclaimed();
    assertThat(story.offered()).as("while somebody drains it").containsExactly("Drain e1");
    story.silent("Drain e1");
    assertThat(last(story)).containsExactly("Drain e1 Cancelled", "Verify e1 Pending");
  }

  /** I5: its run was lost right after something was done to a host whose recovery nobody took. */
  @Test
  void aHostThatWasChangedSinceItWasJudgedIsJudgedAgain() {
    Story story = lostInUpdate("d1").done("Verify d1");
    int round = story.jobs().getLast().round();
    story.meanwhile(
        batch ->
            batch
                .job(JobBuilder.job(Step.HEALTH, "d1").round(round).run(2).done())
                .job(JobBuilder.job(Step.UPDATE, "d1").round(99).done()));
    story.decide().done("Verify d1");
    assertThat(story.rounds()).noneMatch(job -> job.startsWith("Recover"));
    assertThat(story.offered()).containsExactly("Health d1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEndOfTheBatchKeepsItFromBeingReclaimed(boolean alive) {
    Story story = Story.of(Batches.of("c1")).decide();
    if (!alive) {
      story.meanwhile(batch -> batch.grant(one -> one.ended()));
    }
    story.reclaimed();
    assertThat(story.end().isPresent()).isEqualTo(alive);
  }

  /** P9: a restore lost the rows that would say whether somebody was sent to it. */
  @Test
  void whereRowsDoNotTellEveryHostIsRead() {
    Story story = Story.of(Batches.of("f1", "f2").grant(one -> one.blind())).reclaimed();
    assertThat(story.offered()).containsExactly("Verify f1", "Verify f2");
  }

  /** Whether hooks ran is lost as well: nothing may come before their recovery. */
  @Test
  void whereRowsOfHooksWereLostNoHostIsRecovered() {
    Story story = Story.of(Batches.of("f1").grant(one -> one.blind())).reclaimed();
    story.done("Verify f1", "Health f1");
    assertThat(story.left("f1"))
        .startsWith("Quarantined: its run was lost; it is updated and healthy, but whether hooks");
  }
}
