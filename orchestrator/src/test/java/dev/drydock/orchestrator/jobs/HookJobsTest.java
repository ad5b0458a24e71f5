package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HookCall;
import dev.drydock.api.HookIntent;
import dev.drydock.api.HookScope;
import dev.drydock.api.HookStage;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs of hooks on a board over a real PostgreSQL. */
@Tag("stack")
class HookJobsTest {
  private static final PolicyHook MOVE =
      HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 0);
  private static final PolicyHook FENCE =
      HookBench.pre("fence", Stage.AFTER_UNDEPLOY, Scope.BATCH, 0);

  private HookBench bench;
  private BatchRows rows;
  private BatchRun run;

  @BeforeEach
  void start() {
    bench = new HookBench();
    rows = new BatchRows(bench.jdbi(), bench.fleet);
    bench.wants(MOVE, FENCE, HookBench.post(MOVE));
    run = bench.begin("a1", "a2");
    bench.reach(run, JobStep.Hook);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private List<Job> claimable(String topic) {
    return bench
        .board
        .claimable(
            List.of(topic), List.of(JobStep.values()), new PageRequest(0, 100), FieldMask.all())
        .elements();
  }

  private String move(String host) {
    return bench.job(run, "move", "web@" + host);
  }

  private static JobResult result(JobOutcome outcome) {
    return new JobResult().setOutcome(outcome).setMessage("said " + outcome);
  }

  private String refusal(String job, JobResult result) {
    ClaimResult.Granted claim = (ClaimResult.Granted) bench.claim(job);
    CompletionResult refused =
        bench.board.complete(job, claim.secret(), JobReport.of(result), HookBench.ANYBODY);
    assertThat(refused).isInstanceOf(CompletionResult.Refused.class);
    return ((CompletionResult.Refused) refused).message();
  }

  @Test
  void tellWhatTheHookIsToDo() {
    Job job = claimable("hook/move").getFirst();
    HookCall call = Objects.requireNonNull(job.getHook());
    assertThat(job.getInstances()).hasSize(1);
    assertThat(List.of(call.getName(), call.getTarget(), call.getPolicy(), call.getTeam()))
        .containsExactly("move", "web@a1", "web", "web-team");
    assertThat(call.getStage()).isEqualTo(HookStage.BeforeUndeploy);
    assertThat(call.getScope()).isEqualTo(HookScope.Instance);
    assertThat(call.getIntent()).isEqualTo(HookIntent.RestartKeepData);
    assertThat(call.getParams()).isEqualTo(Map.of("rate", "5"));
    assertThat(call.getHosts()).containsExactly("a1");
    assertThat(call.hasState()).isFalse();
  }

  @Test
  void areOnlyForWhoCanDoThem() {
    Principal other = new Principal("w", "t", Role.CONSUMER, Set.of("hook/fence"));
    assertThat(((ClaimResult.Refused) bench.board.claim(move("a1"), "w", other)).reason())
        .isEqualTo(ClaimResult.Reason.TOPIC_NOT_YOURS);
    Principal able = new Principal("w", "t", Role.CONSUMER, Set.of("hook/move"));
    assertThat(bench.board.claim(move("a1"), "w", able)).isInstanceOf(ClaimResult.Granted.class);
  }

  @Test
  void aHookThatWaitsIsAskedAgainNotBeforeItsTimeWithWhatItSaidAndItsFirstDeadline() {
    String first = move("a1");
    bench.end(first, result(JobOutcome.Wait).setRetryAfterSeconds(600).setState("1 of 3 is moved"));
    bench.drive(run);
    String second = move("a1");
    assertThat(second).isNotEqualTo(first);
    assertThat(claimable("hook/move")).extracting(Job::getHost).containsExactly("a2");
    assertThat(((ClaimResult.Refused) bench.claim(second)).message()).contains("not before 20");
    bench.drive(run);
    assertThat(move("a1")).as("asked once").isEqualTo(second);
    assertThat(rows.deadline(second)).isEqualTo(rows.deadline(first));
    bench.fleet.workAsIf.due(second);
    assertThat(claimable("hook/move"))
        .filteredOn(job -> job.getId().equals(second))
        .extracting(job -> Objects.requireNonNull(job.getHook()).getState())
        .containsExactly("1 of 3 is moved");
    bench.end(second, JobOutcome.Done);
  }

  @Test
  void aHookThatIsNeverReadyFailsWithWhatItSaidLast() {
    bench.end(move("a1"), result(JobOutcome.Wait).setRetryAfterSeconds(600));
    bench.end(move("a2"), JobOutcome.Done);
    bench.drive(run);
    bench.fleet.workAsIf.expired(move("a1"), 0);
    bench.drive(run);
    assertThat(rows.way(run.grant()))
        .isEqualTo(
            "Reverted: BeforeUndeploy: move of instance web@a1: it was not ready in time, and said last: said"
                + " Wait");
  }

  @Test
  void aHookWhoseConsumersAllFellSilentHasFailed() {
    bench.fleet.workAsIf.expired(move("a1"), 8);
    bench.fleet.workAsIf.expired(move("a2"), 8);
    bench.drive(run);
    assertThat(rows.way(run.grant())).startsWith("Reverted: BeforeUndeploy: move");
  }

  @Test
  void theSameResultIsTakenAgainAndAnotherIsNot() {
    String job = move("a1");
    ClaimResult.Granted claim = (ClaimResult.Granted) bench.claim(job);
    JobReport jobReport = JobReport.of(result(JobOutcome.Done).setState("3 leaders"));
    for (int i = 0; i < 2; i++) {
      assertThat(bench.board.complete(job, claim.secret(), jobReport, HookBench.ANYBODY))
          .isEqualTo(new CompletionResult.Accepted(i == 1));
    }
    JobReport other = JobReport.of(result(JobOutcome.Done).setState("4 leaders"));
    assertThat(bench.board.complete(job, claim.secret(), other, HookBench.ANYBODY))
        .isInstanceOf(CompletionResult.Refused.class);
    assertThat(rows.handedOver(run.grant(), 1)).isEqualTo("3 leaders");
  }

  @Test
  void senselessResultsAreRefusedWithTheReason() {
    String job = move("a1");
    assertThat(refusal(job, result(JobOutcome.Unknown)))
        .startsWith("outcome: a Hook ends Done, Wait, Veto or Failed");
    bench.fleet.workAsIf.givenBack(job);
    assertThat(refusal(job, result(JobOutcome.Wait)))
        .isEqualTo(
            "retryAfterSeconds: must be from 1 to 3600 with Wait, and absent with anything else");
    bench.fleet.workAsIf.givenBack(job);
    assertThat(refusal(job, result(JobOutcome.Done).setRetryAfterSeconds(5)))
        .startsWith("retryAfterSeconds:");
    bench.fleet.workAsIf.givenBack(job);
    assertThat(refusal(job, result(JobOutcome.Done).setState("x".repeat(16_001))))
        .isEqualTo("state: is longer than 16000 characters");
  }

  @Test
  void aVetoAfterTheUndeployIsRefused() {
    bench.until(run, () -> bench.offered(run).contains("Hook fence"));
    String fence = bench.job(run, "fence", run.grant());
    assertThat(refusal(fence, result(JobOutcome.Veto)))
        .isEqualTo(
            "outcome: there is no way back by a Veto any more, this hook is AfterUndeploy: say"
                + " Failed");
    bench.drive(run);
    assertThat(bench.offered(run)).containsExactly("Hook fence");
  }

  @Test
  void nothingButAHookSaysWhatHooksSay() {
    bench.reach(run, JobStep.Drain);
    String drain = rows.job(run.grant(), JobStep.Drain, "a1");
    assertThat(refusal(drain, result(JobOutcome.Veto)))
        .isEqualTo("outcome: only a Hook may say Veto, this is Drain");
    bench.fleet.workAsIf.givenBack(drain);
    assertThat(refusal(drain, result(JobOutcome.Done).setState("x")))
        .isEqualTo("state, retryAfterSeconds: only of a Hook, this is Drain");
  }
}
