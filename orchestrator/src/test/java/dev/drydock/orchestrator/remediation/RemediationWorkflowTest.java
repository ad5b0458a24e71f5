package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.Row;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
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

  /** A rollout of hosts that fail on its release and serve again on the one they had. */
  private String breaking(String... hosts) {
    start(JobStep.Recover, "nothing", hosts);
    climbs(Rung.ROLL_BACK);
    for (String host : hosts) {
      hadRelease("1", host);
    }
    harbour.world().cure("Update", host -> cureAgain("Update", host));
    // The last of several waits until it is let go.
    harbour
        .world()
        .holdBack(
            JobStep.Recover, host -> hosts.length > 1 && host.equals(hosts[hosts.length - 1]));
    return harbour.submitAgain(hosts);
  }

  @Test
  void whatNothingElseHelpsGoesBackToTheReleaseItHad() {
    String rollout = breaking("q1");
    assertThat(harbour.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(harbour.done("q1"))
        .endsWith("Update", "Health", "Recover", "Diagnose", "Update", "Health", "Recover");
    assertThat(harbour.host(rollout, "q1").getReason())
        .isEqualTo("taken back to release 1, as nothing else helped: Recover: Recover Failed");
    assertThat(harbour.fleet().value("SELECT release FROM hosts WHERE name = 'q1'")).isEqualTo("1");
    assertThat(orders("q1", JobStep.Update)).isEqualTo("2 false, 1 true");
    assertThat(orders("q1", JobStep.Health)).isEqualTo("2 false, 1 false");
    harbour.until(() -> harbour.locks("q1").isEmpty());
  }

  @Test
  void whatDidNotGoBackEitherIsInstalledAnewWithTheReleaseOfItsRollout() {
    start(JobStep.Update, "Reimage", "r1");
    harbour.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.REIMAGE));
    hadRelease("1", "r1");
    String rollout = harbour.submitAgain("r1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(orders("r1", JobStep.Update)).isEqualTo("2 false, 1 true, 2 false");
    assertThat(harbour.fleet().value("SELECT release FROM hosts WHERE name = 'r1'")).isEqualTo("2");
  }

  @Test
  @Tag("full")
  void whatWentBackAndIsRecoveredLaterIsNotCalledUpgraded() {
    start(JobStep.Update, "nothing", "v1");
    harbour.fleet().ladder = new Ladder(List.of(Rung.RETRY_STEP, Rung.ROLL_BACK));
    hadRelease("1", "v1");
    harbour.world().cure("Update", host -> cureAgain("Update", host, 2));
    harbour.world().failing(JobStep.Recover, host -> !harbour.done(host).contains("Recover"));
    String rollout = harbour.submitAgain("v1");
    assertThat(harbour.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(harbour.done("v1")).endsWith("Health", "Recover", "Diagnose", "Recover");
    assertThat(harbour.host(rollout, "v1").getReason())
        .isEqualTo("taken back to release 1, as nothing else helped: Update: Update Failed");
    assertThat(orders("v1", JobStep.Update)).isEqualTo("2 false, 2 false, 1 true");
    assertThat(harbour.fleet().value("SELECT release FROM hosts WHERE name = 'v1'")).isEqualTo("1");
  }

  @Test
  @Tag("full")
  void whatWentBackAndIsRecoveredByALaterRungIsNotCalledUpgraded() {
    start(JobStep.Recover, "nothing", "w1");
    harbour.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.RETRY_STEP));
    hadRelease("1", "w1");
    harbour.world().cure("Recover", host -> cureAgain("Recover", host, 2));
    String rollout = harbour.submitAgain("w1");
    assertThat(harbour.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(harbour.done("w1")).endsWith("Update", "Health", "Recover", "Diagnose", "Recover");
  }

  /** I5: whether the way back changed anything before it failed is not known. */
  @Test
  void aHostIsJudgedByTheReleaseOfItsRolloutOnceAWayBackFailed() {
    start(JobStep.Recover, "Health", "x1");
    harbour.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.RETRY_STEP));
    hadRelease("1", "x1");
    harbour.world().cure("Health", host -> cureAgain("Health", host));
    harbour.world().failing(JobStep.Update, host -> harbour.done(host).contains("Update"));
    String rollout = harbour.submitAgain("x1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("x1"))
        .endsWith("Recover", "Diagnose", "Update", "Diagnose", "Health", "Recover");
    assertThat(orders("x1", JobStep.Health)).isEqualTo("2 false, 2 false");
  }

  @Test
  @Tag("full")
  void aHostThatIsNotWellOnceItWasSwitchedOffIsJudgedAgainBeforeALaterRungRecoversIt() {
    start(JobStep.Recover, "PowerCycle", "y1");
    harbour.fleet().ladder = new Ladder(List.of(Rung.POWER_CYCLE, Rung.RETRY_STEP));
    harbour
        .world()
        .failing(JobStep.Health, host -> Collections.frequency(harbour.done(host), "Health") == 1);
    String rollout = harbour.submit("y1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("y1"))
        .endsWith("PowerCycle", "Verify", "Health", "Diagnose", "Health", "Recover");
  }

  /** The control: nobody knows where it could go back to. */
  @Test
  void aHostWhoseReleaseNobodyKnowsDoesNotGoBack() {
    start(JobStep.Update, "nothing", "s1");
    climbs(Rung.ROLL_BACK);
    String rollout = harbour.submit("s1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("s1")).containsExactly("Freeze", "Drain", "Update", "Diagnose");
  }

  @Test
  void whatAPersonApprovesIsTriedOnceOneDid() {
    start(JobStep.Update, "PowerCycle", "t1");
    asks(Rung.POWER_CYCLE);
    String rollout = harbour.submit("t1");
    String id = asked("t1");
    assertThat(harbour.rows().jobs(JobStep.Repair, "t1"))
        .as("nothing is so much as offered before")
        .extracting(Row.Job::work)
        .containsExactly("Diagnose");
    assertThat(harbour.host(rollout, "t1").getReason()).contains("PowerCycle waits for approval");
    assertThat(harbour.client().decide(id, DecisionOption.Approve, "go").getState())
        .isEqualTo(DecisionState.Answered);
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("t1"))
        .endsWith("Update", "Diagnose", "PowerCycle", "Verify", "Update", "Health", "Recover");
    assertThat(catchThrowable(() -> harbour.client().decide(id, DecisionOption.Refuse, "no")))
        .hasMessageContaining("was decided already: Approve by");
    assertThat(
            harbour
                .fleet()
                .value(
                    "SELECT string_agg(principal || ' ' || object, ', ') FROM audit"
                        + " WHERE action = 'decision.answer'"))
        .isEqualTo("all decision/" + id);
  }

  @Test
  @Tag("full")
  void onlyWhatIsToBeApprovedWaitsForAPersonUntilNobodyWantsThatAnyMore() {
    List<String> climbed =
        List.of(
            "Freeze",
            "Drain",
            "Update",
            "Diagnose",
            "Update",
            "Diagnose",
            "PowerCycle",
            "Verify",
            "Update",
            "Health",
            "Recover");
    start(JobStep.Update, "PowerCycle", "t3", "t4");
    harbour.fleet().ladder = new Ladder(BOTH.rungs(), Set.of(Rung.POWER_CYCLE));
    String rollout = harbour.submit("t3");
    String id = asked("t3");
    assertThat(harbour.done("t3")).startsWith("Freeze", "Drain", "Update", "Diagnose", "Update");
    assertThat(harbour.client().decide(id, DecisionOption.Approve, "go").getFacts())
        .containsEntry("action", "PowerCycle");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("t3")).isEqualTo(climbed);
    harbour.fleet().ladder = BOTH;
    assertThat(harbour.ended(harbour.submit("t4")).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("t4")).isEqualTo(climbed);
    assertThat(harbour.client().decisions(false)).as("nobody was asked again").hasSize(1);
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.CRASH, end = "Answered")
  void anotherProcessFindsTheQuestion() {
    start(JobStep.Update, "PowerCycle", "t2");
    asks(Rung.POWER_CYCLE);
    String rollout = harbour.submit("t2");
    String id = asked("t2");
    harbour.stop();
    harbour.start().failing(JobStep.Update, ill::contains).cure("PowerCycle", ill::remove);
    assertThat(harbour.client().decide(id, DecisionOption.Approve, "go").getState())
        .isEqualTo(DecisionState.Answered);
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
  }

  @Test
  void whatAPersonRefusesIsLeftOut() {
    start(JobStep.Update, "nothing", "u1");
    asks(Rung.POWER_CYCLE);
    String rollout = harbour.submit("u1");
    harbour.client().decide(asked("u1"), DecisionOption.Refuse, "not this one");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("u1")).endsWith("Drain", "Update", "Diagnose");
  }

  private void asks(Rung rung) {
    harbour.fleet().ladder = new Ladder(List.of(rung), Set.of(rung));
  }

  private String asked(String host) {
    harbour.until(
        () ->
            harbour.client().decisions(false).stream()
                .anyMatch(one -> one.getHosts().contains(host)));
    return harbour.client().decisions(false).stream()
        .filter(one -> one.getHosts().contains(host))
        .map(Decision::getId)
        .findFirst()
        .orElseThrow();
  }

  private void hadRelease(String release, String host) {
    harbour.fleet().host(host);
    harbour
        .fleet()
        .execute(
            "INSERT INTO releases (name, spec, created_by) SELECT '%1$s', jsonb_set(spec, '{name}', '\"%1$s\"'), created_by FROM releases WHERE name = '2' ON CONFLICT DO NOTHING"
                .formatted(release));
    harbour
        .fleet()
        .execute("UPDATE hosts SET release = '%s' WHERE name = '%s'".formatted(release, host));
  }

  /** The releases of its jobs in order, and whether packages might go back. */
  private String orders(String host, JobStep step) {
    return harbour.rows().jobs(step, host).stream()
        .map(job -> job.release() + " " + job.says("downgrade").replace("none", "false"))
        .collect(Collectors.joining(", "));
  }

  @Test
  @Tag("full")
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

  /** A release that breaks its hosts does so on all of a kind. */
  @Test
  void whatWentBackWasNotHelpedWithWhatItHas() {
    String rollout = breaking("p1", "p2", "p3", "p4");
    harbour.until(
        () ->
            harbour.rows().remediations().stream()
                    .filter(one -> one.state().equals("Resumed") && one.wentBack())
                    .count()
                == 3);
    harbour.world().letGo(JobStep.Recover);
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.host(rollout, "p4").getReason()).contains("nothing helped on 3 hosts");
  }

  @Test
  @Tag("full")
  void whatWentBackAndFailsAgainIsRepairedAgain() {
    assertThat(harbour.ended(breaking("q2")).getReverted()).isEqualTo(1);
    harbour.world().failing(JobStep.Recover, host -> false);
    harbour.world().failing(JobStep.Health, host -> harbour.done(host).getLast().equals("Update"));
    climbs(Rung.RETRY_STEP);
    assertThat(harbour.ended(harbour.submitAgain("q2")).getUpgraded()).isEqualTo(1);
  }

  @Test
  @Tag("full")
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
    cureAgain(work, host, 1);
  }

  /** Not those before, so many. */
  private void cureAgain(String work, String host, int before) {
    if (Collections.frequency(harbour.done(host), work) >= before) {
      ill.remove(host);
    }
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.FAILURE, end = "Exhausted")
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
  void withoutALadderItIsOnlyDiagnosed() {
    start(JobStep.Update, "Diagnose", "e1");
    harbour.fleet().ladder = Ladder.NONE;
    String rollout = harbour.submit("e1");
    assertThat(harbour.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(harbour.done("e1")).containsExactly("Freeze", "Drain", "Update", "Diagnose");
    assertThat(harbour.host(rollout, "e1").getReason())
        .isEqualTo("Update: Update Failed; diagnosis: Repair Done");
    assertThat(
            harbour
                .fleet()
                .value(
                    "SELECT data ->> 'signature' FROM events WHERE kind = 'RemediationEnded' AND"
                        + " host = 'e1'"))
        .isEqualTo("odd");
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.CRASH, end = "Resumed")
  void goesOnAfterTheDeathOfItsProcess() {
    start(JobStep.Update, "Diagnose", "f1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("f1");
    harbour.until(() -> harbour.host(rollout, "f1").getReason().endsWith("remediation: Diagnose"));
    harbour.stop();
    harbour.start();
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.done("f1"))
        .containsExactly("Freeze", "Drain", "Update", "Diagnose", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.ABORT, end = "Resumed")
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
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.TIME_OUT, end = "Resumed")
  void itWaitsForWhoRepairs() {
    start(JobStep.Update, "Diagnose", "h1");
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("h1");
    harbour.until(() -> harbour.rows().jobs(JobStep.Repair, "h1").size() == 1);
    harbour.fleet().workAsIf.late(harbour.rows().jobs(JobStep.Repair, "h1"));
    harbour.world().letGo(JobStep.Repair);
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(harbour.rows().jobs(JobStep.Repair, "h1"))
        .as("its time counts from the claim")
        .hasSize(1);
  }

  /** I5: its update failed, and nobody claims the one that is to mend it. */
  @Test
  void aHostWhoseNextUpdateNobodyTakesIsNotPutBackInService() {
    start(JobStep.Update, "Diagnose", "k1");
    climbs(Rung.RETRY_STEP);
    harbour.world().holdBack(JobStep.Repair);
    String rollout = harbour.submit("k1");
    harbour.until(() -> harbour.host(rollout, "k1").getReason().endsWith("remediation: Diagnose"));
    harbour.world().holdBack(JobStep.Update).letGo(JobStep.Repair);
    harbour.until(() -> harbour.host(rollout, "k1").getReason().endsWith("remediation: RetryStep"));
    String grant = harbour.host(rollout, "k1").getGrant();
    harbour.fleet().workAsIf.late(harbour.rows().waiting(grant, JobStep.Update));
    assertThat(harbour.done("k1")).containsExactly("Freeze", "Drain", "Update", "Diagnose");
    assertThat(harbour.locks("k1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.BATCH);
    harbour.world().letGo(JobStep.Update);
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
  }
}
