package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.StoreTime.Committed;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.testkit.FakeTime;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of batches under way once a store was restored, and knows less than was done. */
@Tag("stack")
class StoreReconcilerTest {
  private static final PolicyHook MOVE =
      HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 100);

  private HookBench bench;
  private Consumer<BatchRun> driving = _ -> {};
  private FakeTime etcd;

  @BeforeEach
  void start() {
    bench = new HookBench();
    etcd = new FakeTime(bench.jdbi());
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void aHostIsNotRecoveredWhereWhatItsHooksDidWasLost() {
    bench.wants(MOVE, HookBench.post(MOVE));
    BatchRun run = restored(bench.begin("a1"));
    healthyOnTheRelease(run);
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(host("a1").reason()).contains("whether hooks of its teams ran was lost");
    assertThat(bench.done(run)).doesNotContain("Recover a1");
  }

  @Test
  void whatItsHooksDidIsAlsoUnknownWhereAPolicyMayHaveHadThem() {
    BatchRun run = bench.begin("a1");
    etcd.bumped();
    healthyOnTheRelease(restored(run));
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
  }

  /** The control of both. */
  @Test
  void aHostIsRecoveredWhereNoPolicyHadHooks() {
    BatchRun run = restored(bench.begin("a1"));
    healthyOnTheRelease(run);
    bench.end(job(run, JobStep.Recover), JobOutcome.Done);
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Upgraded);
  }

  @Test
  void hooksThatRowsTellOfAreNotDone() {
    bench.wants(MOVE, HookBench.post(MOVE));
    BatchRun run = bench.begin("a1");
    cordoned(run);
    healthyOnTheRelease(restored(run));
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
  }

  @Test
  void aHostThatIsNotOnTheReleaseIsLeftAsItIs() {
    BatchRun run = bench.begin("a1");
    bench.reach(run, JobStep.Update);
    run = restored(run);
    bench.drive(run);
    bench.end(job(run, JobStep.Verify), JobOutcome.Failed);
    bench.drive(run);
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(bench.offered(run)).isEmpty();
  }

  @Test
  void whatWasBeingUndoneIsReadInstead() {
    BatchRun run = bench.begin("a1");
    goesBack(run);
    assertThat(bench.offered(run)).as("the control").containsExactly("Uncordon a1");
    run = restored(run);
    bench.drive(run);
    assertThat(bench.offered(run)).containsExactly("Verify a1");
    bench.end(job(run, JobStep.Verify), JobOutcome.Done);
    bench.drive(run);
    assertThat(bench.offered(run)).containsExactly("Health a1");
  }

  /** People may end its rollout meanwhile: whether it was updated the rows do not tell. */
  @Test
  void anAbortSendsNoBatchBackThatIsRead() {
    BatchRun run = restored(bench.begin("a1"));
    abort("r-a1");
    assertThat(bench.drive(run).ended()).isFalse();
    assertThat(bench.offered(run)).containsExactly("Verify a1");
  }

  @Test
  void theControlThatAnAbortSendsOthersBack() {
    BatchRun run = bench.begin("a1");
    abort("r-a1");
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Cancelled);
  }

  private void abort(String rollout) {
    new RolloutControl(bench.jdbi(), bench.fleet.onward)
        .command(HookBench.ANYBODY, rollout, RolloutCommand.ABORT, "test");
  }

  /** A workflow that Temporal kept may be at work under a number the rows have forgotten. */
  @Test
  void noForgottenRunHasTheNumberOfTheOneThatReclaims() {
    BatchRun run = bench.begin("a1");
    assertThat(restored(run).run()).isGreaterThan(run.run() + 1000);
  }

  @Test
  void aProposalThatEtcdKnowsToBeGrantedIsUnderWay() {
    String grant = bench.begin("a1").grant();
    bench.fleet.asIf.onlyProposed(grant);
    bench.fleet.asIf.are(HostUpgradeState.Pending);
    bench.fleet.holds.end(bench.fleet.holds.endOf(grant, "a1"));
    etcd.committed(new Committed(grant, List.of("a1"), 1));
    BatchRun run = restored(new BatchRun(grant, 0, false));
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.InProgress);
    bench.drive(run);
    assertThat(bench.offered(run)).containsExactly("Verify a1");
    assertThat(impound("a1")).as("it is locked again").startsWith("BATCH");
  }

  /** Neither store may know any more what was done there. */
  @Test
  void whatWaitsIsReadFirst() {
    bench.fleet.host("b1");
    bench.fleet.rollout("rb", "b1");
    assertThat(host("b1").readFirst()).as("the control").isFalse();
    etcd.committed(new Committed("g900", List.of("b1"), 900));
    restored(bench.begin("a1"));
    String next = bench.fleet.grant("rb", "b1");
    assertThat(Long.parseLong(next.substring(1))).as("no number twice").isGreaterThan(900);
    BatchRun run = bench.fleet.run(next);
    bench.drive(run);
    assertThat(bench.offered(run)).containsExactly("Verify b1");
  }

  @Test
  void rowsAreMadeForAHoldThatOnlyEtcdHas() {
    bench.fleet.host("c1");
    bench.fleet.rollout("r1", "c1");
    bench.fleet.holds.commit("g78", List.of("c1"));
    BatchRun run = restored(new BatchRun("g78", 0, false));
    assertThat(host("c1").state()).isEqualTo(HostUpgradeState.InProgress);
    healthyOnTheRelease(run);
    assertThat(bench.offered(run)).containsExactly("Recover c1");
  }

  /** An id was given out a second time before anybody noticed: the batch of that is none of it. */
  @Test
  void aHoldWhoseIdRowsGaveToOtherHostsIsLeftToPeople() {
    bench.fleet.host("c1");
    bench.fleet.rollout("r1", "c1");
    BatchRun run = bench.begin("a1");
    bench.fleet.holds.commit(run.grant(), List.of("c1"));
    restored(run);
    assertThat(host("c1").state())
        .as("it is none of the batch")
        .isEqualTo(HostUpgradeState.Pending);
    assertThat(bench.fleet.holds.find(run.grant()))
        .filteredOn(lock -> lock.host().equals("c1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
  }

  /** A Temporal that was put back as well takes its workflow for one that runs, and starts none. */
  @Test
  void itsHostsAreReadThoughNoWorkflowOfItRuns() {
    BatchRun run = bench.begin("a1");
    etcd.ahead(3);
    new StoreWatch(bench.jdbi(), etcd, new Metrics()).agree();
    RecoveryDriver alone = recovery();
    alone.step();
    alone.step();
    assertThat(bench.offered(run)).as("the control: nobody moves it").doesNotContain("Verify a1");
    driving = bench::drive;
    RecoveryDriver recoveryDriver = recovery();
    recoveryDriver.step();
    assertThat(bench.offered(run)).contains("Verify a1");
    bench.fleet.done(run.grant(), "Verify");
    recoveryDriver.step();
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).as("it is read").isEqualTo(RecoveryDriver.Mode.NONE);
  }

  /** Its rollout was submitted after the copy. */
  @Test
  void aHoldThatNoRowsCanBeMadeForIsLeftToPeople() {
    bench.fleet.holds.commit("g78", List.of("c1"));
    restored(bench.begin("a1"));
    assertThat(bench.fleet.holds.find("g78"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
    assertThat(bench.fleet.rows.batches()).extracting(Row.Batch::id).doesNotContain("g78");
  }

  @Test
  void aHostThatPeopleHaveIsNotWaitedFor() {
    BatchRun run = bench.begin("a1");
    bench.fleet.holds.end(bench.fleet.holds.endOf(run.grant(), "a1"));
    bench.fleet.holds.commit("g77", List.of("a1"));
    bench.fleet.holds.quarantine("g77", "a1", "it burns");
    restored(run);
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(bench.fleet.rows.impounds()).isEmpty();
  }

  /** Somebody else keeps the host for longer than anybody waits; it is read without a lock. */
  @Test
  void aHostThatSomebodyElseHasKeepsNobodyWaiting() {
    BatchRun run = bench.begin("a1");
    bench.fleet.holds.end(bench.fleet.holds.endOf(run.grant(), "a1"));
    run = restored(run);
    bench.drive(run);
    bench.end(job(run, JobStep.Verify), JobOutcome.Done);
    RecoveryDriver recoveryDriver = recovery();
    recoveryDriver.step();
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).as("it is free").isEqualTo(RecoveryDriver.Mode.READING);
    bench.fleet.holds.commit("t1", List.of("a1"));
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).isEqualTo(RecoveryDriver.Mode.NONE);
  }

  /** What nobody may claim meanwhile is not late; an etcd is recovered for an hour. */
  @Test
  void aHostIsBroughtBackAlsoAfterALongRecovery() {
    BatchRun run = bench.begin("a1");
    bench.reach(run, JobStep.Health);
    run = etcdRestored(run);
    bench.drive(run);
    bench.end(job(run, JobStep.Verify), JobOutcome.Done);
    bench.drive(run);
    anHourPasses();
    assertThat(bench.board.expire()).isZero();
    bench.drive(run);
    recoveryEnds();
    bench.end(job(run, JobStep.Health), JobOutcome.Done);
    bench.drive(run);
    bench.end(job(run, JobStep.Recover), JobOutcome.Done);
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Upgraded);
  }

  @Test
  void aBatchGoesBackAlsoAfterALongRecovery() {
    BatchRun run = bench.begin("a1");
    goesBack(run);
    run = etcdRestored(run);
    bench.drive(run);
    anHourPasses();
    assertThat(bench.board.expire()).isZero();
    assertThat(bench.drive(run).ended()).isFalse();
    recoveryEnds();
    bench.end(job(run, JobStep.Uncordon), JobOutcome.Done);
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Pending);
  }

  /** The control of both. */
  @Test
  void whatMayBeClaimedMeanwhileEndsWithItsTime() {
    BatchRun run = bench.begin("a1");
    bench.reach(run, JobStep.Health);
    run = etcdRestored(run);
    bench.drive(run);
    anHourPasses();
    assertThat(bench.offered(run)).containsExactly("Verify a1");
    assertThat(bench.board.expire()).isEqualTo(1);
  }

  /** The grantor locks it once it can; its batch has ended by then, and would let it go. */
  @Test
  void aHostThatIsQuarantinedBeforeItIsLockedAgainIsLockedAsThat() {
    BatchRun run = updatedAndNotLocked();
    bench.fleet.holds.commit("t1", List.of("a1"));
    run = etcdRestored(run);
    assertThat(impound("a1")).isEqualTo("BATCH, to be done");
    bench.drive(run);
    bench.end(job(run, JobStep.Verify), JobOutcome.Failed);
    bench.drive(run);
    assertThat(impound("a1")).isEqualTo("QUARANTINE, to be done");
    assertThat(host("a1").state()).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(host("a1").reason()).doesNotContain("people");
  }

  /** The control: it was locked again, and people let it go. */
  @Test
  void aHostThatPeopleLetGoAfterItWasLockedAgainStaysFree() {
    BatchRun run = updatedAndNotLocked();
    run = etcdRestored(run);
    bench.fleet.asIf.lockedAgain();
    bench.drive(run);
    bench.end(job(run, JobStep.Verify), JobOutcome.Failed);
    bench.drive(run);
    assertThat(impound("a1")).isEqualTo("BATCH, done");
    assertThat(host("a1").reason()).endsWith("; its hold was already ended by people");
  }

  /** It waited for its turn, and people may still have its number. */
  @Test
  void noRolloutHasTheNumberOfOneThatOnlyTicketsTellOf() {
    Candidate waiting = new Candidate("r5000000.b1", "r5000000", List.of("b1"), "sre", "test");
    bench.fleet.holds.queue(Grants.placeOf(waiting, 0, Instant.MAX).at(77));
    restored(bench.begin("a1"));
    assertThat(nextRollout()).isGreaterThan(5_000_000);
  }

  /** Nor of one that was submitted after the copy, and had nothing in etcd yet. */
  @Test
  void noRolloutHasTheNumberOfOneThatNothingTellsOf() {
    restored(bench.begin("a1"));
    assertThat(nextRollout()).isGreaterThan(1_000_000);
  }

  @Test
  void norWhereTheCopyIsOfARecovery() {
    etcdRestored(bench.begin("a1"));
    long before = nextRollout();
    recovery().step();
    assertThat(nextRollout()).isGreaterThan(before + 1_000_000);
  }

  /** Its update was begun, and etcd has no lock of it. */
  private BatchRun updatedAndNotLocked() {
    BatchRun run = bench.begin("a1");
    bench.reach(run, JobStep.Update);
    bench.fleet.workAsIf.begun(job(run, JobStep.Update));
    bench.fleet.holds.end(bench.fleet.holds.endOf(run.grant(), "a1"));
    return run;
  }

  private long nextRollout() {
    return Long.parseLong(
        bench.fleet.value("SELECT nextval(pg_get_serial_sequence('rollouts', 'number'))"));
  }

  private String impound(String host) {
    return bench.fleet.rows.impounds().stream()
        .filter(lock -> lock.host().equals(host))
        .map(lock -> lock.kind() + (lock.done() ? ", done" : ", to be done"))
        .findFirst()
        .orElse("none");
  }

  private void anHourPasses() {
    bench.board.expire();
    bench.fleet.workAsIf.anHourPasses();
  }

  private void recoveryEnds() {
    RecoveryDriver recoveryDriver = recovery();
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).isEqualTo(RecoveryDriver.Mode.NONE);
  }

  /** etcd knows more beats than PostgreSQL; answers the run that reclaims the batch. */
  private BatchRun restored(BatchRun before) {
    return restored(before, 3);
  }

  /** etcd does not know the last beats of PostgreSQL. */
  private BatchRun etcdRestored(BatchRun before) {
    return restored(before, -2);
  }

  private BatchRun restored(BatchRun before, int beatsAhead) {
    etcd.ahead(beatsAhead);
    assertThat(new StoreWatch(bench.jdbi(), etcd, new Metrics()).agree()).isFalse();
    recovery().step();
    return bench.fleet.driver.begin(before.grant(), "after the restore");
  }

  private RecoveryDriver recovery() {
    Fleet fleet = bench.fleet;
    return new RecoveryDriver(
        new RecoveryDriver.Stores(bench.jdbi(), fleet.holds, etcd),
        new RecoveryDriver.Batches(new SnapshotReader(Fleet.limits()), fleet.policies, driving),
        new LeaseGracePeriod(RestartableRoom.config(Optional.of(Duration.ZERO))),
        BootClock.system());
  }

  /** Its hosts are cordoned, and its first check is asked for. */
  private void cordoned(BatchRun run) {
    bench.reach(run, JobStep.Cordon);
    bench.end(job(run, JobStep.Cordon), JobOutcome.Done);
    bench.drive(run);
  }

  /** Its first check said no, and the cordon is being lifted. */
  private void goesBack(BatchRun run) {
    cordoned(run);
    bench.fleet.decide(run.grant(), Fleet.WAIT);
    bench.drive(run);
  }

  /** The host is read, and found so. */
  private void healthyOnTheRelease(BatchRun run) {
    for (JobStep step : List.of(JobStep.Verify, JobStep.Health)) {
      bench.drive(run);
      bench.end(job(run, step), JobOutcome.Done);
    }
    bench.drive(run);
  }

  private String job(BatchRun run, JobStep step) {
    return bench.fleet.rows.waiting(run.grant(), step).getFirst().id();
  }

  private Row.Host host(String host) {
    return bench.fleet.rows.host(host);
  }
}
