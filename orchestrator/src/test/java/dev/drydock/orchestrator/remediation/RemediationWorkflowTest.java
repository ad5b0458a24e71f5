package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.Harbour;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whole rollouts of hosts that fail, with PostgreSQL, Temporal and consumers over HTTP. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class RemediationWorkflowTest {
  private static final Ladder BOTH = new Ladder(List.of(Rung.RETRY_STEP, Rung.POWER_CYCLE));

  private final Harbour harbour = new Harbour();
  private final Set<String> ill = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    harbour.close();
  }

  /** The step fails on ill hosts, and such work makes them well. */
  private void start(JobStep failing, String cure, String... hosts) {
    harbour.fleet().ladder = BOTH;
    ill.addAll(List.of(hosts));
    harbour.start().failing(failing, ill::contains).cure(cure, ill::remove);
  }

  @Test
  @Shows(of = Phase.class, states = "UPDATE", exit = Exit.FAILURE, end = "Upgraded")
  void aStepIsDoneAgainWhileItsBatchWaitsAndItsHoldStays() {
    start(JobStep.Update, "Diagnose", "a1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("a1");
    harbour.until(() -> harbour.host(rollout, "a1").getReason().endsWith("remediation: Diagnose"));
    assertThat(harbour.locks("a1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.BATCH);
    harbour.world().letGo(JobStep.Repair);
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("a1"))
        .containsExactly("Freeze", "Drain", "Update", "Diagnose", "Update", "Health", "Recover");
    harbour.until(() -> harbour.locks("a1").isEmpty());
  }

  @Test
  void aHostThatDoesNotAnswerIsSwitchedOffAndOn() {
    start(JobStep.Update, "PowerCycle", "b1");
    harbour.world().answering(host -> !ill.contains(host));
    String rollout = harbour.submit("b1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("b1"))
        .containsExactly(
            "Freeze",
            "Drain",
            "Update",
            "Diagnose",
            "PowerCycle",
            "Verify",
            "Update",
            "Health",
            "Recover");
  }

  @Test
  @Shows(of = Phase.class, states = "RECOVER", exit = Exit.FAILURE, end = "Upgraded")
  void aHostIsJudgedAgainBeforeItIsRecoveredOnceItWasSwitchedOff() {
    start(JobStep.Recover, "PowerCycle", "c1");
    harbour.world().answering(host -> !ill.contains(host));
    String rollout = harbour.submit("c1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("c1"))
        .endsWith("Recover", "Diagnose", "PowerCycle", "Verify", "Health", "Recover");
  }

  /** What the grant stopped once it stops again: its recovery starts it. */
  @Test
  void whatDoesNotBecomeHealthyIsStartedAnew() {
    start(JobStep.Recover, "nothing", "j1");
    climbs(Rung.RESTART_SERVICE);
    harbour.world().cure("Drain", host -> cureAgain("Drain", host));
    String rollout = harbour.submit("j1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("j1"))
        .endsWith("Drain", "Update", "Health", "Recover", "Diagnose", "Drain", "Recover");
    harbour.until(() -> harbour.locks("j1").isEmpty());
  }

  @Test
  void aFullDiskIsCleanedAndTheStepDoneAgain() {
    start(JobStep.Update, "CleanDisk", "k1");
    climbs(Rung.CLEAN_DISK);
    String rollout = harbour.submit("k1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("k1"))
        .endsWith("Drain", "Update", "Diagnose", "CleanDisk", "Update", "Health", "Recover");
  }

  @Test
  void aHostIsInstalledAnewAndGoesOnWhereItFailed() {
    start(JobStep.Update, "Reimage", "l1");
    climbs(Rung.REIMAGE);
    String rollout = harbour.submit("l1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("l1"))
        .containsExactly("Freeze", "Drain", "Update", "Diagnose", "Reimage", "Health", "Recover");
  }

  @Test
  void oneThatFailsAfterItsUpdateIsJudgedAgainOnceItIsInstalledAnew() {
    start(JobStep.Recover, "Reimage", "m1");
    climbs(Rung.REIMAGE);
    String rollout = harbour.submit("m1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("m1")).endsWith("Recover", "Diagnose", "Reimage", "Health", "Recover");
  }

  @Test
  void whatHelpedNoneOfItsKindIsTriedOnNoMore() {
    start(JobStep.Update, "nothing", "n1", "n2", "n3", "n4");
    climbs(Rung.RETRY_STEP);
    harbour.world().holdBack(JobStep.Update, "n4"::equals);
    String rollout = harbour.submit("n1", "n2", "n3", "n4");
    harbour.until(() -> harbour.client().rollout(rollout).getQuarantined() == 3);
    harbour.world().letGo(JobStep.Update);
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(4);
    assertThat(harbour.done("n3"))
        .containsExactly("Freeze", "Drain", "Update", "Diagnose", "Update");
    assertThat(harbour.done("n4")).containsExactly("Freeze", "Drain", "Update", "Diagnose");
    assertThat(harbour.host(rollout, "n4").getReason())
        .endsWith(
            "remediation tried nothing; last nothing helped on 3 hosts of its hardware class that"
                + " have the same");
  }

  @Test
  void whatFailsAgainRightAfterItWasHelpedIsLeftToPeople() {
    start(JobStep.Update, "Diagnose", "o1");
    String first = harbour.submit("o1");
    assertThat(harbour.ended(first).getUpgraded()).isEqualTo(1);
    ill.add("o1");
    harbour.world().cure("Diagnose", host -> {});
    harbour.fleet().execute("UPDATE hosts SET release = '1' WHERE name = 'o1'");
    String second = harbour.submitAgain("o1");
    assertThat(harbour.ended(second).getQuarantined()).isEqualTo(1);
    assertThat(harbour.host(second, "o1").getReason())
        .contains("it was helped less than 60 min ago");
  }

  private void climbs(Rung rung) {
    harbour.fleet().ladder = new Ladder(List.of(rung));
  }

  /** Not the first, which is that of its batch. */
  private void cureAgain(String work, String host) {
    if (harbour.done(host).contains(work)) {
      ill.remove(host);
    }
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.FAILURE, end = "Exhausted")
  void whatNothingHelpsIsQuarantinedWithWhatWasTried() {
    start(JobStep.Health, "nothing", "d1");
    String rollout = harbour.submit("d1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.host(rollout, "d1").getReason())
        .isEqualTo(
            "Health: Health Failed; remediation tried RetryStep, PowerCycle; last Resume: Health"
                + " Failed");
    assertThat(harbour.locks("d1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
  }

  /** The control: the same host without a ladder. */
  @Test
  void withoutALadderItIsQuarantinedAtOnce() {
    start(JobStep.Update, "Diagnose", "e1");
    harbour.fleet().ladder = Ladder.NONE;
    String rollout = harbour.submit("e1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("e1")).containsExactly("Freeze", "Drain", "Update");
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.CRASH, end = "Resumed")
  void goesOnAfterTheDeathOfItsProcessAndTheLossOfItsWorkflow() {
    start(JobStep.Update, "Diagnose", "f1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("f1");
    harbour.until(() -> harbour.host(rollout, "f1").getReason().endsWith("remediation: Diagnose"));
    harbour.stop();
    harbour.startWithoutWorld();
    harbour.terminate("remediation/" + harbour.host(rollout, "f1").getGrant() + "/f1");
    harbour.startWorld();
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("f1"))
        .containsExactly("Freeze", "Drain", "Update", "Diagnose", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.ABORT, end = "Resumed")
  void anAbortLetsItEndAndTheRolloutWithIt() {
    start(JobStep.Update, "Diagnose", "g1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("g1");
    harbour.until(() -> harbour.host(rollout, "g1").getReason().endsWith("remediation: Diagnose"));
    harbour.client().abortRollout(rollout, "enough");
    harbour.world().letGo(JobStep.Repair);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Aborted);
    assertThat(harbour.host(rollout, "g1").getState()).isEqualTo(HostUpgradeState.Upgraded);
    harbour.until(() -> harbour.locks("g1").isEmpty());
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.TIME_OUT, end = "Exhausted")
  void itEndsAlsoIfNobodyRepairs() {
    start(JobStep.Update, "Diagnose", "h1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("h1");
    harbour.until(() -> harbour.host(rollout, "h1").getReason().endsWith("remediation: Diagnose"));
    harbour.fleet().execute("UPDATE jobs SET deadline = clock_timestamp() WHERE step = 'Repair'");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.host(rollout, "h1").getReason())
        .isEqualTo("Update: Update Failed; remediation tried nothing; last Diagnose: Expired");
  }
}
