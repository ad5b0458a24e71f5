package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A drain that waits for somebody's leave to stop what is left; an open question is elsewhere. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class QuestionExitsTest {
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @Test
  @Shows(of = DecisionState.class, states = "AwaitsApproval", exit = Exit.ABORT, end = "Over")
  void anAbort() {
    String rollout = late("a");
    String question = asked();
    restartableRoom.client().abortRollout(rollout, "");
    assertThat(restartableRoom.ended(rollout).getCancelled()).isEqualTo(1);
    assertThat(state(question)).isEqualTo(DecisionState.Over);
    assertThat(restartableRoom.done("a")).containsExactly("Cordon", "Drain", "Recover");
  }

  @Test
  @Shows(of = DecisionState.class, states = "AwaitsApproval", exit = Exit.TIME_OUT, end = "Expired")
  void nobodyApproves() {
    String rollout = late("t");
    String question = asked();
    restartableRoom.fleet().workAsIf.decisionsExpire();
    restartableRoom.fleet().asIf.woken(restartableRoom.host(rollout, "t").getGrant());
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "t").getState() == HostUpgradeState.Pending);
    assertThat(state(question)).isEqualTo(DecisionState.Expired);
    assertThat(restartableRoom.done("t")).startsWith("Cordon", "Drain", "Recover");
  }

  /** Since the last check an hour may have gone by. */
  @Test
  @Shows(
      of = DecisionState.class,
      states = "AwaitsApproval",
      exit = Exit.FAILURE,
      end = "Answered, and its batch goes back")
  void whatWasApprovedIsNotDoneIfTheFleetHasChanged() {
    String rollout = late("f");
    String question = asked();
    restartableRoom.world().verdict(Check.Kind.OPEN, Fleet.WAIT);
    approve(question);
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "f").getReason().equals("too few up"));
    restartableRoom.until(() -> restartableRoom.done("f").contains("Recover"));
    assertThat(state(question)).isEqualTo(DecisionState.Answered);
    assertThat(restartableRoom.done("f")).doesNotContain("Drain!");
  }

  @Test
  @Shows(of = DecisionState.class, states = "AwaitsApproval", exit = Exit.CRASH, end = "Answered")
  void anotherProcessFindsIt() {
    String rollout = late("c");
    String question = asked();
    restartableRoom.stop();
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Failed);
    assertThat(state(question)).isEqualTo(DecisionState.AwaitsApproval);
    approve(question);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(state(question)).isEqualTo(DecisionState.Answered);
    assertThat(restartableRoom.done("c")).containsOnlyOnce("Drain!", "Update");
  }

  /** A rollout of one host that does not drain, and whose policy stops it with approval. */
  private String late(String host) {
    restartableRoom.fleet().late =
        new LateDrain(LateDrain.Way.FORCE, Duration.ofMinutes(10), Duration.ofHours(1));
    restartableRoom
        .fleet()
        .execute(
            """
            INSERT INTO policies (name, version, team, yaml, created_by) VALUES ('web', 1, 'web-team', '', 'test');
            INSERT INTO policy_applications VALUES ('web', 'web');
            """);
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Failed);
    return restartableRoom.submit(host);
  }

  private String asked() {
    restartableRoom.until(() -> !restartableRoom.client().decisions(false).isEmpty());
    Decision question = restartableRoom.client().decisions(false).getFirst();
    assertThat(question.getState()).isEqualTo(DecisionState.AwaitsApproval);
    return question.getId();
  }

  private DecisionState state(String question) {
    return restartableRoom.client().decision(question).getState();
  }

  private void approve(String question) {
    try (DrydockClient owner = restartableRoom.client("ann")) {
      owner.decide(question, DecisionOption.Force, "it hangs");
    }
  }
}
