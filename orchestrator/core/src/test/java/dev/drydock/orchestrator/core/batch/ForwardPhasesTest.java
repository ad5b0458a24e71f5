package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BackTo;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.GrantBuilder;
import dev.drydock.orchestrator.core.testkit.Hooks;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Story;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What follows a phase that is done. */
class ForwardPhasesTest {

  private static Story begin(String... hosts) {
    return Story.of(Batches.of(hosts)).decide();
  }

  private static Story draining(String... hosts) {
    return begin(hosts).until("Drain " + hosts[0]);
  }

  @Test
  void isFollowedByTheNextUntilTheBatchEnds() {
    Story story = begin("a1").done("Freeze a1");
    assertThat(story.waitsFor()).isEqualTo("verdict of the confirm check");
    assertThat(story.host("a1").step()).isEqualTo("Confirm");
    story.granted();
    assertThat(story.waitsFor()).isEqualTo("verdict of the open check");
    assertThat(story.granted().offered()).containsExactly("Drain a1");
    assertThat(story.done("Drain a1").offered()).containsExactly("Update a1");
    assertThat(story.phases()).containsExactly(Phase.DRAIN, Phase.AFTER_UNDEPLOY, Phase.UPDATE);
    assertThat(story.done("Update a1").offered()).containsExactly("Health a1");
    assertThat(story.done("Health a1").offered()).containsExactly("Recover a1");
    assertThat(story.done("Recover a1").offered()).isEmpty();
    assertThat(story.left("a1")).isEqualTo("Upgraded: ");
    assertThat(story.end()).contains(HostEnd.UPGRADED);
  }

  @Test
  void waitsForTheWholeBatch() {
    Story story = draining("a1", "a2").done("Drain a1");
    assertThat(story.offered()).containsExactly("Drain a2");
    assertThat(story.done("Drain a2").offered()).containsExactly("Update a1", "Update a2");
  }

  /** Each end is decided about; the last of them is followed. */
  @Test
  void isFollowedOnceHoweverManyAreDone() {
    String[] hosts = IntStream.range(0, 8).mapToObj(i -> "a" + i).toArray(String[]::new);
    Story story = draining(hosts);
    for (String host : hosts) {
      story.done("Drain " + host).decide();
    }
    assertThat(story.offered())
        .containsExactly(Stream.of(hosts).map(host -> "Update " + host).toArray(String[]::new));
  }

  @Test
  void runsTheHooksBetween() {
    Batches batch =
        Batches.of("a1")
            .runs("web", "a1")
            .wants(
                Hooks.policy("web", Hooks.pre("rebalance", Stage.AFTER_UNDEPLOY, Scope.HOST, 0)));
    Story story = Story.of(batch).until("Drain a1").done("Drain a1");
    assertThat(story.offered()).containsExactly("Hook rebalance a1");
  }

  @Test
  void stopsAtTheHooksBeforeTheDrain() {
    Batches batch =
        Batches.of("a1")
            .runs("web", "a1")
            .wants(
                Hooks.policy("web", Hooks.pre("rebalance", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0)));
    Story story = Story.of(batch).decide().done("Freeze a1").granted();
    assertThat(story.offered()).containsExactly("Hook rebalance a1");
    assertThat(story.now().checks()).as("not before the hooks").hasSize(1);
  }

  @Test
  void goesBackWhenACheckSaysNo() {
    Story story = begin("a1").done("Freeze a1").held("too few up");
    assertThat(story.wentBack()).isEqualTo("Held: too few up");
    assertThat(story.offered()).containsExactly("Unfreeze a1");
    assertThat(story.done("Unfreeze a1").left("a1")).isEqualTo("Held: too few up");
  }

  @Test
  void goesBackWhenNoVerdictComesInTime() {
    Story story = begin("a1").done("Freeze a1");
    assertThat(story.nextLook()).contains(JobBuilder.NOW.plus(Check.VERDICT_MAX));
    story.later(Check.VERDICT_MAX);
    assertThat(story.wentBack()).isEmpty();
    story.later(Duration.ofMillis(1));
    assertThat(story.wentBack()).isEqualTo("Held: no verdict within 3 minutes");
  }

  @Test
  void goesBackOnceAllHaveEndedWhenOneOfThemFailed() {
    Story story = draining("a1", "a2").failed("Drain a1");
    assertThat(story.offered()).containsExactly("Drain a2");
    assertThat(story.wentBack()).isEmpty();
    story.done("Drain a2");
    assertThat(story.wentBack()).startsWith("Reverted: a1 was not drained within 300 s");
  }

  @Test
  void leadsNowhereOnceTheBatchGoesBack() {
    Story story = draining("a1").claimed("Drain a1");
    story.meanwhile(batch -> batch.goingBack(BackTo.REVERTED, "because")).decide();
    assertThat(story.done("Drain a1").offered()).containsExactly("Recover a1");
  }

  @Test
  void leadsNowhereOnceItsRunWasLost() {
    Story story = draining("a1").claimed("Drain a1");
    story.reclaimed();
    assertThat(story.wentBack()).isEqualTo("Held: its run was lost");
    assertThat(story.done("Drain a1").offered()).containsExactly("Recover a1");
  }

  /** A job belongs to the run that works its batch; nothing is published twice. */
  @Test
  void aRunThatFollowsOwnsWhatIsOnTheBoard() {
    Story story = draining("a1").claimed("Drain a1").anotherRun();
    assertThat(story.decided()).contains(new Action.Adopt("g1.Drain.a1.2"));
    assertThat(story.done("Drain a1").offered()).containsExactly("Update a1");
  }

  /** An earlier run published it, and nobody took it before its time was over. */
  @Test
  void whatNobodyTookOfAnEarlierRunIsPublishedAgain() {
    Story story = draining("a1").done("Drain a1");
    story.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(3).untaken()));
    assertThat(story.anotherRun().offered()).containsExactly("Update a1");
    assertThat(story.jobs().getLast().round()).isEqualTo(4);
  }

  @Test
  void nothingIsDecidedAboutABatchThatEnded() {
    assertThat(BatchPlanner.decide(Batches.of("a1").grant(GrantBuilder::ended).snapshot()))
        .isEmpty();
  }

  /** I5: somebody recovered a host that was not judged. */
  @Test
  void noBatchEndsOnAHostThatWasNotJudged() {
    Story story = draining("a1").until("Recover a1");
    story.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(99).done()));
    assertThatThrownBy(() -> story.done("Recover a1"))
        .hasMessageContaining("health of a1 did not pass since it was changed");
  }
}
