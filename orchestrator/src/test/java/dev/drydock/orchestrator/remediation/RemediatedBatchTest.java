package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.blocked.BlockedQuestions;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.testkit.HookBench;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What policies say of hosts that fail comes after their remediation, and a lost run ends it; on a
 * real PostgreSQL. The control of each, the same without a ladder, is in HostFailureTest.
 */
@Tag("stack")
class RemediatedBatchTest {
  private static final String TRIED =
      "Update: said Failed; remediation tried nothing; last Diagnose: gone";

  private HookBench bench;

  @BeforeEach
  void start() {
    bench = new HookBench();
    bench.fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  /** A batch of two whose update failed on the first, which is diagnosed. */
  private BatchRun failed(OnHostFailure policy) {
    bench.fleet.onHostFailure = policy;
    BatchRun run = bench.begin("a1", "a2");
    bench.reach(run, Phase.AFTER_UNDEPLOY);
    bench.pursue(run, Phase.UPDATE);
    bench.end(run.grant() + ".Update.a1.3", JobOutcome.Failed);
    bench.end(run.grant() + ".Update.a2.3", JobOutcome.Done);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(questions()).as("asked before anything was tried").isEqualTo("0");
    advance(run);
    return run;
  }

  private void advance(BatchRun run) {
    bench.fleet.remediations.advance(run.grant(), "a1");
  }

  private void diagnosed(BatchRun run, boolean answers) {
    bench.end(
        run.grant() + ".Repair.a1.4",
        new JobResult()
            .setOutcome(JobOutcome.Done)
            .setMessage(answers ? "it answers" : "gone")
            .setFacts(new StringMap(Map.of(Diagnosis.REACHABLE, String.valueOf(answers)))));
    advance(run);
  }

  private String questions() {
    return bench.fleet.value("SELECT count(*) FROM blocked_batches");
  }

  private String remediation() {
    return bench.fleet.value("SELECT string_agg(host || ' ' || state, ', ') FROM remediations");
  }

  @Test
  void theOthersGoOnWithoutAHostThatNothingHelped() {
    BatchRun run = failed(OnHostFailure.GO_ON);
    diagnosed(run, false);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.ASIDE);
    assertThat(bench.fleet.activities.quarantine(run, Phase.UPDATE)).isEqualTo(1);
    assertThat(bench.reach(run, Phase.RECOVER).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(
            bench.fleet.value(
                "SELECT string_agg(host || ' ' || state || ' ' || reason, ', ' ORDER BY host)"
                    + " FROM host_upgrades"))
        .isEqualTo("a1 Quarantined " + TRIED + "; GoOn by policy, a2 Upgraded ");
  }

  @Test
  void peopleAreAskedAfterItWithWhatWasTriedAndWhatTheyOrderIsNotRemediatedAgain() {
    BatchRun run = failed(OnHostFailure.HOLD);
    diagnosed(run, false);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(bench.fleet.value("SELECT reasons->>'a1' FROM blocked_batches")).isEqualTo(TRIED);
    new BlockedQuestions(bench.jdbi())
        .answer(HookBench.ANYBODY, run.grant() + ".1", BlockedBatchAnswer.Retry, "");
    bench.pursue(run, Phase.UPDATE);
    bench.end(
        run.grant() + ".Update.a1.5",
        new JobResult().setOutcome(JobOutcome.Failed).setMessage("again"));
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(bench.fleet.value("SELECT reasons->>'a1' FROM blocked_batches WHERE number = 2"))
        .isEqualTo("Update: again");
    assertThat(remediation()).isEqualTo("a1 Exhausted");
  }

  /** A host that had release 1, in a batch that holds when it fails. */
  private BatchRun alone(Rung rung) {
    return alone(OnHostFailure.HOLD, rung);
  }

  private BatchRun alone(OnHostFailure policy, Rung... rungs) {
    bench.fleet.ladder = new Ladder(List.of(rungs));
    bench.fleet.onHostFailure = policy;
    bench.fleet.execute(
        "INSERT INTO releases (name, spec, created_by) VALUES ('1', '{\"name\": \"1\"}', 'test')");
    BatchRun run = bench.begin("a1");
    bench.fleet.execute("UPDATE host_upgrades SET release_before = '1'");
    return run;
  }

  /** The step fails on a host that answers, and what is tried first is on the board. */
  private void failsAndIsDiagnosed(BatchRun run, Phase phase) {
    bench.pursue(run, phase);
    fails(run);
    bench.pursue(run, phase);
    advance(run);
    bench.end(
        live(run),
        new JobResult()
            .setOutcome(JobOutcome.Done)
            .setMessage("it answers")
            .setFacts(new StringMap(Map.of(Diagnosis.REACHABLE, "true"))));
    advance(run);
  }

  /** The step fails, is diagnosed, and what is tried then ends so; people say Retry. */
  private void failsWhateverIsTried(BatchRun run, Phase phase, JobOutcome... tried) {
    failsAndIsDiagnosed(run, phase);
    for (JobOutcome outcome : tried) {
      bench.end(live(run), outcome);
      advance(run);
    }
    assertThat(remediation()).isEqualTo("a1 Exhausted");
    assertThat(bench.pursue(run, phase).status()).isEqualTo(Status.WAITING);
    retry(run, 1);
    bench.pursue(run, phase);
  }

  private void fails(BatchRun run) {
    bench.end(live(run), JobOutcome.Failed);
  }

  private String live(BatchRun run) {
    return bench.fleet.value(
        "SELECT id FROM jobs WHERE state = 'Pending' AND grant_id = '%s'".formatted(run.grant()));
  }

  private void retry(BatchRun run, int question) {
    new BlockedQuestions(bench.jdbi())
        .answer(
            HookBench.ANYBODY, run.grant() + "." + question, BlockedBatchAnswer.Retry, "once more");
  }

  @Test
  void aRetryThatPeopleOrderAfterAWayBackThatFailedIsOfTheUpgrade() {
    BatchRun run = alone(Rung.ROLL_BACK);
    bench.reach(run, Phase.AFTER_UNDEPLOY);
    failsWhateverIsTried(run, Phase.UPDATE, JobOutcome.Failed);
    assertThat(
            bench.fleet.value(
                "SELECT string_agg((spec->'release'->>'name') || ' ' || (spec->>'downgrade'), ', '"
                    + " ORDER BY round) FROM jobs WHERE step = 'Update'"))
        .isEqualTo("2 false, 1 true, 2 false");
    assertThat(bench.reach(run, Phase.RECOVER).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(state()).isEqualTo("Upgraded");
  }

  /** I5. */
  @Test
  void aHostThatWasChangedIsJudgedBeforePeopleLetItBeRecovered() {
    BatchRun run = alone(Rung.CLEAN_DISK);
    bench.reach(run, Phase.BEFORE_DEPLOY);
    failsWhateverIsTried(run, Phase.RECOVER, JobOutcome.Failed);
    assertThat(bench.offered(run)).containsExactly("Health a1");
    assertThat(bench.pursue(run, Phase.RECOVER).status()).isEqualTo(Status.WAITING);
    fails(run);
    assertThat(bench.pursue(run, Phase.RECOVER).status()).isEqualTo(Status.WAITING);
    assertThat(bench.fleet.value("SELECT reasons->>'a1' FROM blocked_batches WHERE number = 2"))
        .isEqualTo("Health: said Failed");
    retry(run, 2);
    bench.pursue(run, Phase.RECOVER);
    assertThat(bench.offered(run)).containsExactly("Health a1");
    bench.end(live(run), JobOutcome.Done);
    bench.pursue(run, Phase.RECOVER);
    assertThat(bench.offered(run)).containsExactly("Recover a1");
    assertThat(bench.pass(run, Phase.RECOVER).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(state()).isEqualTo("Upgraded");
  }

  @Test
  void aRetryThatPeopleOrderJudgesAgainWhatARepairFoundIll() {
    BatchRun run = alone(Rung.CLEAN_DISK);
    bench.reach(run, Phase.BEFORE_DEPLOY);
    failsWhateverIsTried(run, Phase.RECOVER, JobOutcome.Done, JobOutcome.Failed);
    assertThat(bench.offered(run)).containsExactly("Health a1");
    assertThat(questions()).isEqualTo("1");
  }

  /** The control: somebody changed a host behind the back of whoever recovers it. */
  @Test
  void noBatchEndsOnAHostThatWasChangedSinceItWasJudged() {
    BatchRun run = alone(Rung.RETRY_STEP);
    bench.reach(run, Phase.RECOVER);
    bench.fleet.execute("UPDATE jobs SET round = 99 WHERE step = 'Update'");
    assertThatThrownBy(() -> bench.fleet.activities.recordEnd(run))
        .hasMessageContaining("health of a1 did not pass since it was changed");
    assertThat(state()).isEqualTo("InProgress");
  }

  private String state() {
    return bench.fleet.value("SELECT state FROM host_upgrades");
  }

  /** The update of a host failed, and nobody took the round that was to mend it. */
  private BatchRun untaken(OnHostFailure policy, Rung... rungs) {
    BatchRun run = alone(policy, rungs);
    bench.reach(run, Phase.AFTER_UNDEPLOY);
    failsAndIsDiagnosed(run, Phase.UPDATE);
    assertThat(bench.offered(run)).containsExactly("Update a1");
    bench.board.expire();
    bench.fleet.execute(
        "UPDATE jobs SET deadline = clock_timestamp() - interval '1 s' WHERE state = 'Pending'");
    assertThat(bench.board.expire()).isEqualTo(1);
    return run;
  }

  /** I5. */
  @ParameterizedTest
  @EnumSource(
      value = OnHostFailure.class,
      names = {"ABORT", "GO_ON"})
  void aHostWhoseUpdateBeganIsNotTakenBackAsNobodyTookTheNextRound(OnHostFailure policy) {
    BatchRun run = untaken(policy, Rung.RETRY_STEP);
    advance(run);
    assertThat(remediation()).isEqualTo("a1 Exhausted");
    Status status = bench.pursue(run, Phase.UPDATE).status();
    assertThat(status).isIn(Status.BROKEN, Status.ASIDE);
    assertThat(bench.fleet.activities.quarantine(run, Phase.UPDATE)).isZero();
    assertThat(state()).isEqualTo("Quarantined");
  }

  @Test
  void whatIsLeftToBeTriedIsTriedAlsoIfTheBatchLooksFirst() {
    BatchRun run = untaken(OnHostFailure.ABORT, Rung.RETRY_STEP, Rung.CLEAN_DISK);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    advance(run);
    assertThat(bench.offered(run)).containsExactly("Repair a1");
  }

  /** I5: somebody sent a batch back from where there is no way back. */
  @Test
  void noBatchThatGoesBackEndsOnAHostThatSomebodyBeganToUpdate() {
    BatchRun run = alone(Rung.RETRY_STEP);
    bench.reach(run, Phase.AFTER_UNDEPLOY);
    bench.pursue(run, Phase.UPDATE);
    fails(run);
    bench.back(run, new Progress(Status.FAILED, "sent back"));
    assertThatThrownBy(() -> bench.fleet.activities.recordEnd(run))
        .hasMessageContaining("somebody was given an update of it");
    assertThat(bench.pursue(run, Phase.UNDO).status()).isEqualTo(Status.BROKEN);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(bench.fleet.activities.quarantine(run, Phase.UNDO)).isZero();
    assertThat(state()).isEqualTo("Quarantined");
  }

  @Test
  void nobodyIsAskedAboutAHostThatWasHelped() {
    BatchRun run = failed(OnHostFailure.HOLD);
    diagnosed(run, true);
    bench.end(run.grant() + ".Update.a1.5", JobOutcome.Done);
    advance(run);
    assertThat(remediation()).isEqualTo("a1 Resumed");
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.DONE);
    assertThat(questions()).isEqualTo("0");
  }

  @Test
  void whatPeopleAreAskedAboutIsNotRemediatedByPoliciesThatCameAfterThat() {
    bench.fleet.ladder = Ladder.NONE;
    bench.fleet.onHostFailure = OnHostFailure.HOLD;
    BatchRun run = bench.begin("b1");
    bench.reach(run, Phase.AFTER_UNDEPLOY);
    bench.pursue(run, Phase.UPDATE);
    bench.end(run.grant() + ".Update.b1.3", JobOutcome.Failed);
    bench.pursue(run, Phase.UPDATE);
    assertThat(questions()).isEqualTo("1");
    bench.fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP));
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(bench.fleet.value("SELECT count(*) FROM remediations")).isEqualTo("0");
  }

  /** The run is lost: another reclaims the batch. */
  private BatchRun reclaimed(BatchRun run) {
    assertThat(new GrantStore(bench.jdbi()).reclaim(run.grant(), run.run(), "lost")).isTrue();
    return bench.fleet.activities.begin(run.grant(), "another");
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.CRASH, end = "Left")
  void aLostRunEndsItAndTheHostIsRead() {
    BatchRun later = reclaimed(failed(OnHostFailure.ABORT));
    advance(later);
    assertThat(remediation()).isEqualTo("a1 Left");
    assertThat(bench.pursue(later, Phase.RECLAIM).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(later)).containsExactly("Verify a1", "Verify a2");
    assertThat(bench.fleet.value("SELECT state FROM jobs WHERE step = 'Repair'"))
        .isEqualTo("Cancelled");
  }

  @Test
  void aLostRunLetsWhoRepairsTheHostEndBeforeItIsRead() {
    BatchRun run = failed(OnHostFailure.ABORT);
    bench.claim(run.grant() + ".Repair.a1.4");
    BatchRun later = reclaimed(run);
    assertThat(bench.pursue(later, Phase.RECLAIM).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(later)).containsExactlyInAnyOrder("Repair a1", "Verify a2");
    bench.fleet.execute(
        "UPDATE jobs SET state = 'Done', ended_at = clock_timestamp() WHERE step = 'Repair'");
    bench.pursue(later, Phase.RECLAIM);
    assertThat(bench.offered(later)).containsExactlyInAnyOrder("Verify a1", "Verify a2");
  }
}
