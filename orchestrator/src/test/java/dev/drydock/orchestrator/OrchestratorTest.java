package dev.drydock.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.Row;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The room on a real PostgreSQL and a real Temporal, with consumers over HTTP and holds in memory.
 * Each test has a harbour of its own, and several run at once: what they do most is wait.
 */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class OrchestratorTest {
  private final Harbour harbour = new Harbour();

  @AfterEach
  void close() {
    harbour.close();
  }

  @Test
  void upgradesEveryHostOfARollout() {
    harbour.start();
    String rollout = harbour.submit("a1", "a2", "a3");
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("a1"))
        .containsExactly("Freeze", "Drain", "Update", "Health", "Recover");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(3);
    assertThat(harbour.fleet().value("SELECT release FROM hosts WHERE name = 'a2'")).isEqualTo("2");
    harbour.until(() -> harbour.locks("a1", "a2", "a3").isEmpty());
    Row.Job recovered = harbour.rows().jobs(JobStep.Recover, "a3").getFirst();
    assertThat(harbour.fleet().holds.ends())
        .filteredOn(end -> end.hosts().contains("a3"))
        .as("the hold ends with the mark of the verified read")
        .isNotEmpty()
        .allMatch(end -> (recovered.result().get("mark") + "").equals(end.mark() + ""));
  }

  @Test
  void theRestOfARolloutBeginsOnceItsCanaryHasSoakedAlsoAfterTheDeathOfItsProcess() {
    harbour.canary(2);
    harbour.start();
    String rollout = harbour.submit("y1", "y2", "y3");
    assertThat(harbour.host(rollout, "y2").getReason())
        .isEqualTo("waits for canaries y1 (policy web version 1): not done yet: y1");
    harbour.until(() -> harbour.host(rollout, "y1").getState() == HostUpgradeState.Upgraded);
    harbour.stop();
    harbour.start();
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    long done = Objects.requireNonNull(harbour.host(rollout, "y1").getEndedAt());
    for (String host : List.of("y2", "y3")) {
      assertThat(harbour.host(rollout, host).getStartedAt())
          .as(host)
          .isGreaterThanOrEqualTo(done + 2000);
    }
    assertThat(harbour.ended(rollout).getCanaries().getFirst().hasPassedAt()).isTrue();
  }

  @Test
  @Shows(of = RolloutState.class, states = "Running", exit = Exit.CRASH, end = "Succeeded")
  @Shows(of = JobState.class, states = "Pending", exit = Exit.CRASH, end = "Pending")
  void goesOnAfterTheDeathOfItsProcess() {
    harbour.start().holdBack(JobStep.Update);
    String rollout = harbour.submit("b1", "b2");
    harbour.until(
        () -> harbour.done("b1").contains("Drain") && harbour.done("b2").contains("Drain"));
    harbour.stop();
    harbour.start();
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    for (String host : List.of("b1", "b2")) {
      assertThat(harbour.done(host))
          .containsExactly("Freeze", "Drain", "Update", "Health", "Recover");
    }
  }

  @Test
  void startsTheLostWorkflowOfARolloutAgain() {
    harbour.start().holdBack(JobStep.Update);
    String rollout = harbour.submit("c1");
    harbour.until(() -> harbour.done("c1").contains("Drain"));
    harbour.terminate("rollout/" + rollout);
    harbour.world().letGo(JobStep.Update);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("c1"))
        .containsExactly("Freeze", "Drain", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = RolloutState.class, states = "Running", exit = Exit.FAILURE, end = "Degraded")
  void revertsAHostWhoseDrainFailed() {
    harbour.start().outcome(JobStep.Drain, JobOutcome.Failed);
    String rollout = harbour.submit("d1");
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Degraded);
    HostUpgrade host = harbour.host(rollout, "d1");
    assertThat(host.getState()).isEqualTo(HostUpgradeState.Reverted);
    assertThat(host.getReason())
        .isEqualTo(
            "d1 was not drained within 1200 s (how much was left was not told): Drain: Drain"
                + " Failed; drain: up to 20m (policy web), then brought back (nobody says"
                + " onTimeout)");
    assertThat(harbour.done("d1")).containsExactly("Freeze", "Drain", "Recover");
    harbour.until(() -> harbour.locks("d1").isEmpty());
  }

  @Test
  void liftsTheFreezeOfAHostThatWasNotDrained() {
    harbour.start().outcome(JobStep.Freeze, JobOutcome.Failed);
    String rollout = harbour.submit("e1");
    harbour.ended(rollout);
    assertThat(harbour.host(rollout, "e1").getState()).isEqualTo(HostUpgradeState.Reverted);
    assertThat(harbour.done("e1")).containsExactly("Freeze", "Unfreeze");
  }

  @Test
  void quarantinesAHostWhoseUpdateFailed() {
    harbour.start().outcome(JobStep.Update, JobOutcome.Failed);
    String rollout = harbour.submit("f1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("f1")).containsExactly("Freeze", "Drain", "Update", "Diagnose");
    assertThat(harbour.locks("f1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
    String grant = harbour.rows().host("f1").grant();
    harbour.until(() -> harbour.rows().batch(grant).holdEndedAt().isPresent());
    assertThat(harbour.locks("f1")).as("nothing but people end it").hasSize(1);
  }

  @Test
  void neverTouchesAHostInAnUnknownState() {
    harbour.start().outcome(JobStep.Drain, JobOutcome.Unknown);
    String rollout = harbour.submit("g1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("g1")).containsExactly("Freeze", "Drain");
  }

  @Test
  void aHeldHostComesBackAfterItsBackOff() {
    harbour.start().verdict(Check.Kind.CONFIRM, Fleet.HOLD);
    String rollout = harbour.submit("h1");
    harbour.until(() -> harbour.done("h1").contains("Unfreeze"));
    harbour.until(() -> harbour.host(rollout, "h1").getState() == HostUpgradeState.Pending);
    assertThat(harbour.host(rollout, "h1").getReason()).isEqualTo("too few up");
    Instant heldAt = harbour.rows().batches().getFirst().endedAt().orElseThrow();
    assertThat(harbour.rows().host("h1").notBefore().orElseThrow()).isAfter(heldAt.plusSeconds(4));
    harbour.world().verdict(Check.Kind.CONFIRM, Fleet.GRANT);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("h1"))
        .containsExactly("Freeze", "Unfreeze", "Freeze", "Drain", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = HostUpgradeState.class, states = "Pending", exit = Exit.CRASH, end = "Upgraded")
  void settlesWhatAGrantorLeftBetweenTheStores() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("i1", "i2");
    String lost = propose(rollout, "i1");
    String committed = propose(rollout, "i2");
    harbour.fleet().holds.commit(committed, List.of("i2"));
    harbour.fleet().asIf.grantedBefore(60);
    harbour.until(() -> harbour.grantState(committed).equals("granted"));
    harbour.until(() -> harbour.grantState(lost).equals("void"));
    harbour.startWorld();
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("i1")).hasSize(5);
    assertThat(harbour.done("i2")).hasSize(5);
  }

  @Test
  void endsTheHoldOfAnEndedGrantWhenEtcdAnswersAgain() {
    harbour.start();
    harbour.fleet().holds.away(true);
    String rollout = harbour.submit("j1");
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.locks("j1")).hasSize(1);
    harbour.terminate("batch/" + harbour.host(rollout, "j1").getGrant());
    harbour.fleet().holds.away(false);
    harbour.until(() -> harbour.locks("j1").isEmpty());
  }

  @Test
  void ofTwoRolloutsOverTheSameHostsOneUpgradesEachHostAndTheOtherReadsIt() {
    harbour.start();
    String first = harbour.submit("k1", "k2");
    String second = harbour.submitAgain("k2", "k1");
    Rollout one = harbour.ended(first);
    Rollout other = harbour.ended(second);
    assertThat(List.of(one.getState(), other.getState())).containsOnly(RolloutState.Succeeded);
    assertThat(one.getUpgraded() + other.getUpgraded()).isEqualTo(2);
    assertThat(one.getSkipped() + other.getSkipped()).isEqualTo(2);
    assertThat(harbour.done("k1"))
        .containsExactly("Freeze", "Drain", "Update", "Health", "Recover", "Verify");
    harbour.until(() -> harbour.locks("k1", "k2").isEmpty());
  }

  @Test
  void aRolloutOfHostsThatAreAllAtTheReleaseOnlyReadsThem() {
    harbour.start();
    String first = harbour.submit("l1");
    assertThat(harbour.ended(first).getUpgraded()).isEqualTo(1);
    String second = harbour.submitAgain("l1");
    Rollout ended = harbour.ended(second);
    assertThat(ended.getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(ended.getSkipped()).isEqualTo(1);
    HostUpgrade host = harbour.host(second, "l1");
    assertThat(host.getState()).isEqualTo(HostUpgradeState.Skipped);
    assertThat(host.getReason()).isEqualTo("nothing to do: Verify Done");
    assertThat(harbour.done("l1")).endsWith("Recover", "Verify");
    assertThat(harbour.rows().batch(host.getGrant()).end()).isEqualTo("Skipped");
    harbour.until(() -> harbour.locks("l1").isEmpty());

    // The control: what nobody thinks is at the release is not asked, and the work is done again.
    harbour.fleet().execute("UPDATE hosts SET release = NULL WHERE name = 'l1'");
    assertThat(harbour.ended(harbour.submitAgain("l1")).getUpgraded()).isEqualTo(1);
  }

  @Test
  void aHostThatIsNotAtTheReleaseAfterAllGoesTheWayOfTheOthers() {
    harbour.start();
    assertThat(harbour.ended(harbour.submit("m1")).getUpgraded()).isEqualTo(1);
    harbour.world().outcome(JobStep.Verify, JobOutcome.Failed);
    String second = harbour.submitAgain("m1");
    assertThat(harbour.ended(second).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("m1"))
        .endsWith("Verify", "Freeze", "Drain", "Update", "Health", "Recover");
  }

  @Test
  void aHostThatCannotBeReadIsLeftAsItWas() {
    harbour.start();
    assertThat(harbour.ended(harbour.submit("n1")).getUpgraded()).isEqualTo(1);
    harbour.world().outcome(JobStep.Verify, JobOutcome.Unknown);
    String second = harbour.submitAgain("n1");
    harbour.until(() -> harbour.host(second, "n1").getReason().equals("Verify: Verify Unknown"));
    assertThat(harbour.done("n1")).contains("Recover").endsWith("Verify");
    harbour.world().outcome(JobStep.Verify, JobOutcome.Done);
    assertThat(harbour.ended(second).getSkipped()).as("it waited, and was read again").isEqualTo(1);
    harbour.until(() -> harbour.locks("n1").isEmpty());
  }

  private String propose(String rollout, String host) {
    return harbour
        .candidates()
        .propose(
            new Candidate(rollout + "." + host, rollout, List.of(host), "sre", ""), Fleet.GRANT)
        .map(Proposal::grantId)
        .orElseThrow();
  }
}
