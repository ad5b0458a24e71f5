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
import dev.drydock.orchestrator.testkit.RestartableRoom;
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
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @Test
  void upgradesEveryHostOfARollout() {
    restartableRoom.start();
    String rollout = restartableRoom.submit("a1", "a2", "a3");
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("a1"))
        .containsExactly("Cordon", "Drain", "Update", "Health", "Recover");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(3);
    assertThat(restartableRoom.fleet().value("SELECT release FROM hosts WHERE name = 'a2'"))
        .isEqualTo("2");
    restartableRoom.until(() -> restartableRoom.locks("a1", "a2", "a3").isEmpty());
    Row.Job recovered = restartableRoom.rows().jobs(JobStep.Recover, "a3").getFirst();
    assertThat(restartableRoom.fleet().holds.ends())
        .filteredOn(end -> end.hosts().contains("a3"))
        .as("the hold ends with the mark of the verified read")
        .isNotEmpty()
        .allMatch(end -> (recovered.result().get("mark") + "").equals(end.mark() + ""));
  }

  @Test
  void theRestOfARolloutBeginsOnceItsCanaryHasSoakedAlsoAfterTheDeathOfItsProcess() {
    restartableRoom.canary(2);
    restartableRoom.start();
    String rollout = restartableRoom.submit("y1", "y2", "y3");
    assertThat(restartableRoom.host(rollout, "y2").getReason())
        .isEqualTo("waits for canaries y1 (policy web version 1): not done yet: y1");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "y1").getState() == HostUpgradeState.Upgraded);
    restartableRoom.stop();
    restartableRoom.start();
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    long done = Objects.requireNonNull(restartableRoom.host(rollout, "y1").getEndedAt());
    for (String host : List.of("y2", "y3")) {
      assertThat(restartableRoom.host(rollout, host).getStartedAt())
          .as(host)
          .isGreaterThanOrEqualTo(done + 2000);
    }
    assertThat(restartableRoom.ended(rollout).getCanaries().getFirst().hasPassedAt()).isTrue();
  }

  @Test
  @Shows(of = RolloutState.class, states = "Running", exit = Exit.CRASH, end = "Succeeded")
  @Shows(of = JobState.class, states = "Pending", exit = Exit.CRASH, end = "Pending")
  void goesOnAfterTheDeathOfItsProcess() {
    restartableRoom.start().holdBack(JobStep.Update);
    String rollout = restartableRoom.submit("b1", "b2");
    restartableRoom.until(
        () ->
            restartableRoom.done("b1").contains("Drain")
                && restartableRoom.done("b2").contains("Drain"));
    restartableRoom.stop();
    restartableRoom.start();
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    for (String host : List.of("b1", "b2")) {
      assertThat(restartableRoom.done(host))
          .containsExactly("Cordon", "Drain", "Update", "Health", "Recover");
    }
  }

  @Test
  void startsTheLostWorkflowOfARolloutAgain() {
    restartableRoom.start().holdBack(JobStep.Update);
    String rollout = restartableRoom.submit("c1");
    restartableRoom.until(() -> restartableRoom.done("c1").contains("Drain"));
    restartableRoom.terminate("rollout/" + rollout);
    restartableRoom.world().letGo(JobStep.Update);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("c1"))
        .containsExactly("Cordon", "Drain", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = RolloutState.class, states = "Running", exit = Exit.FAILURE, end = "Degraded")
  void revertsAHostWhoseDrainFailed() {
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Failed);
    String rollout = restartableRoom.submit("d1");
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Degraded);
    HostUpgrade host = restartableRoom.host(rollout, "d1");
    assertThat(host.getState()).isEqualTo(HostUpgradeState.Reverted);
    assertThat(host.getReason())
        .isEqualTo(
            "d1 was not drained within 1200 s (how much was left was not told): Drain: Drain"
                + " Failed; drain: up to 20m (policy web), then brought back (nobody says"
                + " onTimeout)");
    assertThat(restartableRoom.done("d1")).containsExactly("Cordon", "Drain", "Recover");
    restartableRoom.until(() -> restartableRoom.locks("d1").isEmpty());
  }

  @Test
  void liftsTheCordonOfAHostThatWasNotDrained() {
    restartableRoom.start().outcome(JobStep.Cordon, JobOutcome.Failed);
    String rollout = restartableRoom.submit("e1");
    restartableRoom.ended(rollout);
    assertThat(restartableRoom.host(rollout, "e1").getState()).isEqualTo(HostUpgradeState.Reverted);
    assertThat(restartableRoom.done("e1")).containsExactly("Cordon", "Uncordon");
  }

  @Test
  void quarantinesAHostWhoseUpdateFailed() {
    restartableRoom.start().outcome(JobStep.Update, JobOutcome.Failed);
    String rollout = restartableRoom.submit("f1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.done("f1")).containsExactly("Cordon", "Drain", "Update", "Diagnose");
    assertThat(restartableRoom.locks("f1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
    String grant = restartableRoom.rows().host("f1").grant();
    restartableRoom.until(() -> restartableRoom.rows().batch(grant).holdEndedAt().isPresent());
    assertThat(restartableRoom.locks("f1")).as("nothing but people end it").hasSize(1);
  }

  @Test
  void neverTouchesAHostInAnUnknownState() {
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Unknown);
    String rollout = restartableRoom.submit("g1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.done("g1")).containsExactly("Cordon", "Drain");
  }

  @Test
  void aHeldHostComesBackAfterItsBackOff() {
    restartableRoom.start().verdict(Check.Kind.CONFIRM, Fleet.WAIT);
    String rollout = restartableRoom.submit("h1");
    restartableRoom.until(() -> restartableRoom.done("h1").contains("Uncordon"));
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "h1").getState() == HostUpgradeState.Pending);
    assertThat(restartableRoom.host(rollout, "h1").getReason()).isEqualTo("too few up");
    Instant heldAt = restartableRoom.rows().batches().getFirst().endedAt().orElseThrow();
    assertThat(restartableRoom.rows().host("h1").notBefore().orElseThrow())
        .isAfter(heldAt.plusSeconds(4));
    restartableRoom.world().verdict(Check.Kind.CONFIRM, Fleet.GRANT);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("h1"))
        .containsExactly("Cordon", "Uncordon", "Cordon", "Drain", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = HostUpgradeState.class, states = "Pending", exit = Exit.CRASH, end = "Upgraded")
  void settlesWhatAGrantorLeftBetweenTheStores() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("i1", "i2");
    String lost = propose(rollout, "i1");
    String committed = propose(rollout, "i2");
    restartableRoom.fleet().holds.commit(committed, List.of("i2"));
    restartableRoom.fleet().asIf.grantedBefore(60);
    restartableRoom.until(() -> restartableRoom.grantState(committed).equals("granted"));
    restartableRoom.until(() -> restartableRoom.grantState(lost).equals("void"));
    restartableRoom.startWorld();
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("i1")).hasSize(5);
    assertThat(restartableRoom.done("i2")).hasSize(5);
  }

  @Test
  void endsTheHoldOfAnEndedGrantWhenEtcdAnswersAgain() {
    restartableRoom.start();
    restartableRoom.fleet().holds.away(true);
    String rollout = restartableRoom.submit("j1");
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.locks("j1")).hasSize(1);
    restartableRoom.terminate("batch/" + restartableRoom.host(rollout, "j1").getGrant());
    restartableRoom.fleet().holds.away(false);
    restartableRoom.until(() -> restartableRoom.locks("j1").isEmpty());
  }

  @Test
  void ofTwoRolloutsOverTheSameHostsOneUpgradesEachHostAndTheOtherReadsIt() {
    restartableRoom.start();
    String first = restartableRoom.submit("k1", "k2");
    String second = restartableRoom.submitAgain("k2", "k1");
    Rollout one = restartableRoom.ended(first);
    Rollout other = restartableRoom.ended(second);
    assertThat(List.of(one.getState(), other.getState())).containsOnly(RolloutState.Succeeded);
    assertThat(one.getUpgraded() + other.getUpgraded()).isEqualTo(2);
    assertThat(one.getSkipped() + other.getSkipped()).isEqualTo(2);
    assertThat(restartableRoom.done("k1"))
        .containsExactly("Cordon", "Drain", "Update", "Health", "Recover", "Verify");
    restartableRoom.until(() -> restartableRoom.locks("k1", "k2").isEmpty());
  }

  @Test
  void aRolloutOfHostsThatAreAllAtTheReleaseOnlyReadsThem() {
    restartableRoom.start();
    String first = restartableRoom.submit("l1");
    assertThat(restartableRoom.ended(first).getUpgraded()).isEqualTo(1);
    String second = restartableRoom.submitAgain("l1");
    Rollout ended = restartableRoom.ended(second);
    assertThat(ended.getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(ended.getSkipped()).isEqualTo(1);
    HostUpgrade host = restartableRoom.host(second, "l1");
    assertThat(host.getState()).isEqualTo(HostUpgradeState.Skipped);
    assertThat(host.getReason()).isEqualTo("nothing to do: Verify Done");
    assertThat(restartableRoom.done("l1")).endsWith("Recover", "Verify");
    assertThat(restartableRoom.rows().batch(host.getGrant()).end()).isEqualTo("Skipped");
    restartableRoom.until(() -> restartableRoom.locks("l1").isEmpty());

    // The control: what nobody thinks is at the release is not asked, and the work is done again.
    restartableRoom.fleet().execute("UPDATE hosts SET release = NULL WHERE name = 'l1'");
    assertThat(restartableRoom.ended(restartableRoom.submitAgain("l1")).getUpgraded()).isEqualTo(1);
  }

  @Test
  void aHostThatIsNotAtTheReleaseAfterAllGoesTheWayOfTheOthers() {
    restartableRoom.start();
    assertThat(restartableRoom.ended(restartableRoom.submit("m1")).getUpgraded()).isEqualTo(1);
    restartableRoom.world().outcome(JobStep.Verify, JobOutcome.Failed);
    String second = restartableRoom.submitAgain("m1");
    assertThat(restartableRoom.ended(second).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("m1"))
        .endsWith("Verify", "Cordon", "Drain", "Update", "Health", "Recover");
  }

  @Test
  void aHostThatCannotBeReadIsLeftAsItWas() {
    restartableRoom.start();
    assertThat(restartableRoom.ended(restartableRoom.submit("n1")).getUpgraded()).isEqualTo(1);
    restartableRoom.world().outcome(JobStep.Verify, JobOutcome.Unknown);
    String second = restartableRoom.submitAgain("n1");
    restartableRoom.until(
        () -> restartableRoom.host(second, "n1").getReason().equals("Verify: Verify Unknown"));
    assertThat(restartableRoom.done("n1")).contains("Recover").endsWith("Verify");
    restartableRoom.world().outcome(JobStep.Verify, JobOutcome.Done);
    assertThat(restartableRoom.ended(second).getSkipped())
        .as("it waited, and was read again")
        .isEqualTo(1);
    restartableRoom.until(() -> restartableRoom.locks("n1").isEmpty());
  }

  private String propose(String rollout, String host) {
    return restartableRoom
        .candidates()
        .propose(
            new Candidate(rollout + "." + host, rollout, List.of(host), "sre", ""), Fleet.GRANT)
        .map(Proposal::grantId)
        .orElseThrow();
  }
}
