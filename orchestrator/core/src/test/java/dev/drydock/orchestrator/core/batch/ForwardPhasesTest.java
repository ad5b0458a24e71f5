package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.GrantBuilder;
import dev.drydock.orchestrator.core.testkit.Hooks;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What follows a phase that is done. */
class ForwardPhasesTest {

  private static BatchScript begin(String... hosts) {
    return BatchScript.of(Batches.of(hosts)).decide();
  }

  private static BatchScript draining(String... hosts) {
    return begin(hosts).until("Drain " + hosts[0]);
  }

  @Test
  void isFollowedByTheNextUntilTheBatchEnds() {
    BatchScript batchScript = begin("a1").done("Cordon a1");
    assertThat(batchScript.waitsFor()).isEqualTo("verdict of the confirm check");
    assertThat(batchScript.host("a1").step()).isEqualTo("Confirm");
    batchScript.granted();
    assertThat(batchScript.waitsFor()).isEqualTo("verdict of the open check");
    assertThat(batchScript.granted().offered()).containsExactly("Drain a1");
    assertThat(batchScript.done("Drain a1").offered()).containsExactly("Update a1");
    assertThat(batchScript.phases())
        .containsExactly(Phase.DRAIN, Phase.AFTER_UNDEPLOY, Phase.UPDATE);
    assertThat(batchScript.done("Update a1").offered()).containsExactly("Health a1");
    assertThat(batchScript.done("Health a1").offered()).containsExactly("Recover a1");
    assertThat(batchScript.done("Recover a1").offered()).isEmpty();
    assertThat(batchScript.left("a1")).isEqualTo("Upgraded: ");
    assertThat(batchScript.end()).contains(HostEnd.UPGRADED);
  }

  @Test
  void waitsForTheWholeBatch() {
    BatchScript batchScript = draining("a1", "a2").done("Drain a1");
    assertThat(batchScript.offered()).containsExactly("Drain a2");
    assertThat(batchScript.done("Drain a2").offered()).containsExactly("Update a1", "Update a2");
  }

  /** Each end is decided about; the last of them is followed. */
  @Test
  void isFollowedOnceHoweverManyAreDone() {
    String[] hosts = IntStream.range(0, 8).mapToObj(i -> "a" + i).toArray(String[]::new);
    BatchScript batchScript = draining(hosts);
    for (String host : hosts) {
      batchScript.done("Drain " + host).decide();
    }
    assertThat(batchScript.offered())
        .containsExactly(Stream.of(hosts).map(host -> "Update " + host).toArray(String[]::new));
  }

  @Test
  void runsTheHooksBetween() {
    Batches batch =
        Batches.of("a1")
            .runs("web", "a1")
            .wants(
                Hooks.policy("web", Hooks.pre("rebalance", Stage.AFTER_UNDEPLOY, Scope.HOST, 0)));
    BatchScript batchScript = BatchScript.of(batch).until("Drain a1").done("Drain a1");
    assertThat(batchScript.offered()).containsExactly("Hook rebalance a1");
  }

  @Test
  void stopsAtTheHooksBeforeTheDrain() {
    Batches batch =
        Batches.of("a1")
            .runs("web", "a1")
            .wants(
                Hooks.policy("web", Hooks.pre("rebalance", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0)));
    BatchScript batchScript = BatchScript.of(batch).decide().done("Cordon a1").granted();
    assertThat(batchScript.offered()).containsExactly("Hook rebalance a1");
    assertThat(batchScript.now().checks()).as("not before the hooks").hasSize(1);
  }

  @Test
  void goesBackWhenACheckSaysNo() {
    BatchScript batchScript = begin("a1").done("Cordon a1").held("too few up");
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: too few up");
    assertThat(batchScript.offered()).containsExactly("Uncordon a1");
    assertThat(batchScript.done("Uncordon a1").left("a1")).isEqualTo("Requeued: too few up");
  }

  @Test
  void goesBackWhenNoVerdictComesInTime() {
    BatchScript batchScript = begin("a1").done("Cordon a1");
    assertThat(batchScript.nextLook()).contains(JobBuilder.NOW.plus(Check.VERDICT_MAX));
    batchScript.later(Check.VERDICT_MAX);
    assertThat(batchScript.wentBack()).isEmpty();
    batchScript.later(Duration.ofMillis(1));
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: no verdict within 3 minutes");
  }

  @Test
  void goesBackOnceAllHaveEndedWhenOneOfThemFailed() {
    BatchScript batchScript = draining("a1", "a2").failed("Drain a1");
    assertThat(batchScript.offered()).containsExactly("Drain a2");
    assertThat(batchScript.wentBack()).isEmpty();
    batchScript.done("Drain a2");
    assertThat(batchScript.wentBack()).startsWith("Reverted: a1 was not drained within 300 s");
  }

  @Test
  void leadsNowhereOnceTheBatchGoesBack() {
    BatchScript batchScript = draining("a1").claimed("Drain a1");
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "because")).decide();
    assertThat(batchScript.done("Drain a1").offered()).containsExactly("Recover a1");
  }

  @Test
  void leadsNowhereOnceItsRunWasLost() {
    BatchScript batchScript = draining("a1").claimed("Drain a1");
    batchScript.reclaimed();
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: its run was lost");
    assertThat(batchScript.done("Drain a1").offered()).containsExactly("Recover a1");
  }

  /** A job belongs to the run that works its batch; nothing is published twice. */
  @Test
  void aRunThatFollowsOwnsWhatIsOnTheBoard() {
    BatchScript batchScript = draining("a1").claimed("Drain a1").anotherRun();
    assertThat(batchScript.decided()).contains(new Action.Adopt("g1.Drain.a1.2"));
    assertThat(batchScript.done("Drain a1").offered()).containsExactly("Update a1");
  }

  /** An earlier run published it, and nobody took it before its time was over. */
  @Test
  void whatNobodyTookOfAnEarlierRunIsPublishedAgain() {
    BatchScript batchScript = draining("a1").done("Drain a1");
    batchScript.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(3).untaken()));
    assertThat(batchScript.anotherRun().offered()).containsExactly("Update a1");
    assertThat(batchScript.jobs().getLast().round()).isEqualTo(4);
  }

  @Test
  void nothingIsDecidedAboutABatchThatEnded() {
    assertThat(BatchPlanner.decide(Batches.of("a1").grant(GrantBuilder::ended).snapshot()))
        .isEmpty();
  }

  /** I5: somebody recovered a host that was not judged. */
  @Test
  void noBatchEndsOnAHostThatWasNotJudged() {
    BatchScript batchScript = draining("a1").until("Recover a1");
    batchScript.meanwhile(batch -> batch.job(JobBuilder.job(Step.UPDATE, "a1").round(99).done()));
    assertThatThrownBy(() -> batchScript.done("Recover a1"))
        .hasMessageContaining("health of a1 did not pass since it was changed");
  }
}
