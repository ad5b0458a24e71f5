package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostDecisionKind;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.activity.BrokenBatch;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.decision.DecisionRows;
import dev.drydock.orchestrator.decision.Decisions;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of a batch whose update failed on a host that is repaired, on a real PostgreSQL. */
@Tag("stack")
class RepairedBatchTest {
  private final HookBench bench = new HookBench(UnaryOperator.identity());
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @BeforeEach
  void start() {
    bench.fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  /** The update of its host failed, and the diagnosis of that is offered. */
  private BatchRun failed() {
    BatchRun run = bench.begin("h01");
    bench.reach(run, JobStep.Update);
    bench.end(bench.only(run), JobOutcome.Failed);
    assertThat(bench.offered(run)).containsExactly("Repair h01");
    return run;
  }

  private void diagnosed(BatchRun run) {
    bench.end(
        bench.only(run),
        new JobResult()
            .setOutcome(JobOutcome.Done)
            .setMessage("it answers")
            .setFacts(new StringMap(Map.of("diagnosis.reachable", "true"))));
  }

  @Test
  void everyEndOfAnActionIsFollowedByTheNextAtOnce() {
    BatchRun run = failed();
    assertThat(rows.step("h01")).isEqualTo("Update");
    assertThat(rows.host("h01"))
        .isEqualTo("InProgress: Update: said Failed; remediation: Diagnose");
    diagnosed(run);
    assertThat(rows.rounds(run.grant())).endsWith("Update Failed, Diagnose Done, Update Pending");
    bench.end(bench.only(run), JobOutcome.Done);
    assertThat(rows.remediations()).isEqualTo("h01 Update Resumed");
    assertThat(rows.tried()).isEqualTo("Diagnose RetryStep");
    assertThat(rows.host("h01")).isEqualTo("InProgress: ");
    assertThat(bench.offered(run)).containsExactly("Health h01");
    assertThat(rows.woken(run)).isFalse();
    bench.finish(run);
    assertThat(rows.hosts()).isEqualTo("h01 Upgraded");
  }

  /** As {@code drydock host why} shows it. */
  @Test
  void whatWasTriedIsToldOfTheHost() {
    BatchRun run = failed();
    diagnosed(run);
    assertThat(told())
        .containsExactly(
            "Update: said Failed; remediation: RetryStep Pending",
            "Update: said Failed; remediation: Diagnose Done");
    bench.end(bench.only(run), JobOutcome.Done);
    assertThat(told()).startsWith("Resumed: RetryStep helped").hasSize(3);
  }

  private List<String> told() {
    return new HostDecisions(bench.jdbi())
            .until("h01", Instant.now().plusSeconds(60), new PageRequest(0, 100), FieldMask.all())
            .elements()
            .stream()
            .filter(decision -> decision.getDecision().equals(HostDecisionKind.Remediated.name()))
            .map(HostDecision::getReason)
            .toList();
  }

  @Test
  void whatDoesNotHelpEndsInAQuarantineWithWhatWasTried() {
    BatchRun run = failed();
    diagnosed(run);
    bench.end(
        bench.only(run), new JobResult().setOutcome(JobOutcome.Failed).setMessage("failed again"));
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(rows.remediations()).isEqualTo("h01 Update Exhausted");
    assertThat(rows.host("h01"))
        .isEqualTo(
            "Quarantined: Update: said Failed; remediation tried RetryStep; last RetryStep: failed"
                + " again");
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.ABORT, end = "Left")
  void endsWhenPeopleTakeTheHost() {
    BatchRun run = failed();
    taken(run);
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(rows.remediations()).isEqualTo("h01 Update Left");
  }

  private void taken(BatchRun run) {
    BrokenBatch owner = new BrokenBatch(bench.jdbi());
    owner.bar(run.grant());
    owner.broken(run.grant(), "broken by admin");
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.CRASH, end = "Left")
  void aLostRunEndsItAndTheHostIsRead() {
    BatchRun run = failed();
    assertThat(new GrantStore(bench.jdbi()).reclaim(run.grant(), run.run(), "lost")).isTrue();
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    bench.drive(later);
    assertThat(rows.remediations()).isEqualTo("h01 Update Left");
    assertThat(rows.rounds(run.grant())).endsWith("Diagnose Cancelled, Verify Pending");
  }

  /** Its only rung waits for a person. */
  private BatchRun asked() {
    bench.fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP), Set.of(Rung.RETRY_STEP));
    BatchRun run = failed();
    diagnosed(run);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(question()).isEqualTo(DecisionState.Open);
    return run;
  }

  private static final DecisionRows.Wanted EVERY =
      new DecisionRows.Wanted(false, Optional.empty(), Optional.empty());

  private Decisions decisions() {
    return bench.fleet.decisions;
  }

  private DecisionState question() {
    return decisions()
        .page(EVERY, new PageRequest(0, 10), FieldMask.all())
        .elements()
        .getFirst()
        .getState();
  }

  @Test
  void anAnswerMovesTheBatchAtOnce() {
    BatchRun run = asked();
    decisions().answer(HookBench.ANYBODY, run.grant() + ".1", DecisionOption.Approve, "go");
    assertThat(bench.offered(run)).containsExactly("Update h01");
    assertThat(rows.woken(run)).isFalse();
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.TIME_OUT, end = "Expired")
  void whatNobodyApprovesInTimeIsLeftOut() {
    BatchRun run = asked();
    bench.fleet.workAsIf.decisionsExpire();
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(question()).isEqualTo(DecisionState.Expired);
    assertThat(rows.remediations()).isEqualTo("h01 Update Exhausted");
    assertThat(rows.hosts()).isEqualTo("h01 Quarantined");
  }

  @Test
  void peopleAreRemindedOfWhatTheyHaveNotAnswered() {
    BatchRun run = asked();
    assertThat(rows.reminders()).isEqualTo("false");
    bench.fleet.workAsIf.decisionsAreDue();
    bench.drive(run);
    assertThat(rows.reminders()).isEqualTo("false true");
    assertThat(question()).isEqualTo(DecisionState.Open);
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.ABORT, end = "Expired")
  void nobodyIsWaitedForOnceTheRolloutIsAborted() {
    BatchRun run = asked();
    new RolloutControl(bench.jdbi(), bench.fleet.onward)
        .command(HookBench.ANYBODY, "r-h01", RolloutCommand.ABORT, "");
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(question()).isEqualTo(DecisionState.Expired);
    assertThat(rows.remediations()).isEqualTo("h01 Update Exhausted");
    assertThat(rows.approval()).isEqualTo("drydock: its rollout was aborted");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.FAILURE, end = "Over")
  void aQuestionIsOverWhenPeopleTakeTheHost() {
    BatchRun run = asked();
    taken(run);
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(question()).isEqualTo(DecisionState.Over);
  }
}
