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
import dev.drydock.orchestrator.testkit.RestartableRoom;
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

  private final RestartableRoom restartableRoom = new RestartableRoom();
  private final Set<String> ill = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  /** The step fails on ill hosts, and such work makes them well. */
  private void start(JobStep failing, String cure, String... hosts) {
    restartableRoom.fleet().ladder = BOTH;
    ill.addAll(List.of(hosts));
    restartableRoom.start().failing(failing, ill::contains).cure(cure, ill::remove);
  }

  @Test
  @Shows(of = Phase.class, states = "UPDATE", exit = Exit.FAILURE, end = "Upgraded")
  void aStepIsDoneAgainWhileItsBatchWaitsAndItsHoldStays() {
    start(JobStep.Update, "Diagnose", "a1");
    restartableRoom.world().holdBack(JobStep.Repair);
    String rollout = restartableRoom.submit("a1");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "a1").getReason().endsWith("remediation: Diagnose"));
    assertThat(restartableRoom.locks("a1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.BATCH);
    restartableRoom.world().letGo(JobStep.Repair);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("a1"))
        .containsExactly("Cordon", "Drain", "Update", "Diagnose", "Update", "Health", "Recover");
    restartableRoom.until(() -> restartableRoom.locks("a1").isEmpty());
  }

  @Test
  void aHostThatDoesNotAnswerIsSwitchedOffAndOn() {
    start(JobStep.Update, "PowerCycle", "b1");
    restartableRoom.world().answering(host -> !ill.contains(host));
    String rollout = restartableRoom.submit("b1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("b1"))
        .containsExactly(
            "Cordon",
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
    restartableRoom.world().answering(host -> !ill.contains(host));
    String rollout = restartableRoom.submit("c1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("c1"))
        .endsWith("Recover", "Diagnose", "PowerCycle", "Verify", "Health", "Recover");
  }

  /** What the grant stopped once it stops again: its recovery starts it. */
  @Test
  void whatDoesNotBecomeHealthyIsStartedAnew() {
    start(JobStep.Recover, "nothing", "j1");
    climbs(Rung.RESTART_SERVICE);
    restartableRoom.world().cure("Drain", host -> cureAgain("Drain", host));
    String rollout = restartableRoom.submit("j1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("j1"))
        .endsWith("Drain", "Update", "Health", "Recover", "Diagnose", "Drain", "Recover");
    restartableRoom.until(() -> restartableRoom.locks("j1").isEmpty());
  }

  @Test
  void aFullDiskIsCleanedAndTheStepDoneAgain() {
    start(JobStep.Update, "CleanDisk", "k1");
    climbs(Rung.CLEAN_DISK);
    String rollout = restartableRoom.submit("k1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("k1"))
        .endsWith("Drain", "Update", "Diagnose", "CleanDisk", "Update", "Health", "Recover");
  }

  @Test
  void aHostIsInstalledAnewAndGoesOnWhereItFailed() {
    start(JobStep.Update, "Reimage", "l1");
    climbs(Rung.REIMAGE);
    String rollout = restartableRoom.submit("l1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("l1"))
        .containsExactly("Cordon", "Drain", "Update", "Diagnose", "Reimage", "Health", "Recover");
  }

  @Test
  void oneThatFailsAfterItsUpdateIsJudgedAgainOnceItIsInstalledAnew() {
    start(JobStep.Recover, "Reimage", "m1");
    climbs(Rung.REIMAGE);
    String rollout = restartableRoom.submit("m1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("m1"))
        .endsWith("Recover", "Diagnose", "Reimage", "Health", "Recover");
  }

  /** A rollout of hosts that fail on its release and serve again on the one they had. */
  private String breaking(String... hosts) {
    start(JobStep.Recover, "nothing", hosts);
    climbs(Rung.ROLL_BACK);
    for (String host : hosts) {
      hadRelease("1", host);
    }
    restartableRoom.world().cure("Update", host -> cureAgain("Update", host));
    // The last of several waits until it is let go.
    restartableRoom
        .world()
        .holdBack(
            JobStep.Recover, host -> hosts.length > 1 && host.equals(hosts[hosts.length - 1]));
    return restartableRoom.submitAgain(hosts);
  }

  @Test
  void whatNothingElseHelpsGoesBackToTheReleaseItHad() {
    String rollout = breaking("q1");
    assertThat(restartableRoom.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(restartableRoom.done("q1"))
        .endsWith("Update", "Health", "Recover", "Diagnose", "Update", "Health", "Recover");
    assertThat(restartableRoom.host(rollout, "q1").getReason())
        .isEqualTo("taken back to release 1, as nothing else helped: Recover: Recover Failed");
    assertThat(restartableRoom.fleet().value("SELECT release FROM hosts WHERE name = 'q1'"))
        .isEqualTo("1");
    assertThat(orders("q1", JobStep.Update)).isEqualTo("2 false, 1 true");
    assertThat(orders("q1", JobStep.Health)).isEqualTo("2 false, 1 false");
    restartableRoom.until(() -> restartableRoom.locks("q1").isEmpty());
  }

  @Test
  void whatDidNotGoBackEitherIsInstalledAnewWithTheReleaseOfItsRollout() {
    start(JobStep.Update, "Reimage", "r1");
    restartableRoom.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.REIMAGE));
    hadRelease("1", "r1");
    String rollout = restartableRoom.submitAgain("r1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(orders("r1", JobStep.Update)).isEqualTo("2 false, 1 true, 2 false");
    assertThat(restartableRoom.fleet().value("SELECT release FROM hosts WHERE name = 'r1'"))
        .isEqualTo("2");
  }

  @Test
  @Tag("full")
  void whatWentBackAndIsRecoveredLaterIsNotCalledUpgraded() {
    start(JobStep.Update, "nothing", "v1");
    restartableRoom.fleet().ladder = new Ladder(List.of(Rung.RETRY_STEP, Rung.ROLL_BACK));
    hadRelease("1", "v1");
    restartableRoom.world().cure("Update", host -> cureAgain("Update", host, 2));
    restartableRoom
        .world()
        .failing(JobStep.Recover, host -> !restartableRoom.done(host).contains("Recover"));
    String rollout = restartableRoom.submitAgain("v1");
    assertThat(restartableRoom.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(restartableRoom.done("v1")).endsWith("Health", "Recover", "Diagnose", "Recover");
    assertThat(restartableRoom.host(rollout, "v1").getReason())
        .isEqualTo("taken back to release 1, as nothing else helped: Update: Update Failed");
    assertThat(orders("v1", JobStep.Update)).isEqualTo("2 false, 2 false, 1 true");
    assertThat(restartableRoom.fleet().value("SELECT release FROM hosts WHERE name = 'v1'"))
        .isEqualTo("1");
  }

  @Test
  @Tag("full")
  void whatWentBackAndIsRecoveredByALaterRungIsNotCalledUpgraded() {
    start(JobStep.Recover, "nothing", "w1");
    restartableRoom.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.RETRY_STEP));
    hadRelease("1", "w1");
    restartableRoom.world().cure("Recover", host -> cureAgain("Recover", host, 2));
    String rollout = restartableRoom.submitAgain("w1");
    assertThat(restartableRoom.ended(rollout).getReverted()).isEqualTo(1);
    assertThat(restartableRoom.done("w1"))
        .endsWith("Update", "Health", "Recover", "Diagnose", "Recover");
  }

  /** I5: whether the way back changed anything before it failed is not known. */
  @Test
  void aHostIsJudgedByTheReleaseOfItsRolloutOnceAWayBackFailed() {
    start(JobStep.Recover, "Health", "x1");
    restartableRoom.fleet().ladder = new Ladder(List.of(Rung.ROLL_BACK, Rung.RETRY_STEP));
    hadRelease("1", "x1");
    restartableRoom.world().cure("Health", host -> cureAgain("Health", host));
    restartableRoom
        .world()
        .failing(JobStep.Update, host -> restartableRoom.done(host).contains("Update"));
    String rollout = restartableRoom.submitAgain("x1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("x1"))
        .endsWith("Recover", "Diagnose", "Update", "Diagnose", "Health", "Recover");
    assertThat(orders("x1", JobStep.Health)).isEqualTo("2 false, 2 false");
  }

  @Test
  @Tag("full")
  void aHostThatIsNotWellOnceItWasSwitchedOffIsJudgedAgainBeforeALaterRungRecoversIt() {
    start(JobStep.Recover, "PowerCycle", "y1");
    restartableRoom.fleet().ladder = new Ladder(List.of(Rung.POWER_CYCLE, Rung.RETRY_STEP));
    restartableRoom
        .world()
        .failing(
            JobStep.Health,
            host -> Collections.frequency(restartableRoom.done(host), "Health") == 1);
    String rollout = restartableRoom.submit("y1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("y1"))
        .endsWith("PowerCycle", "Verify", "Health", "Diagnose", "Health", "Recover");
  }

  /** The control: nobody knows where it could go back to. */
  @Test
  void aHostWhoseReleaseNobodyKnowsDoesNotGoBack() {
    start(JobStep.Update, "nothing", "s1");
    climbs(Rung.ROLL_BACK);
    String rollout = restartableRoom.submit("s1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.done("s1")).containsExactly("Cordon", "Drain", "Update", "Diagnose");
  }

  @Test
  void whatAPersonApprovesIsTriedOnceOneDid() {
    start(JobStep.Update, "PowerCycle", "t1");
    asks(Rung.POWER_CYCLE);
    String rollout = restartableRoom.submit("t1");
    String id = asked("t1");
    assertThat(restartableRoom.rows().jobs(JobStep.Repair, "t1"))
        .as("nothing is so much as offered before")
        .extracting(Row.Job::work)
        .containsExactly("Diagnose");
    assertThat(restartableRoom.host(rollout, "t1").getReason())
        .contains("PowerCycle waits for approval");
    assertThat(restartableRoom.client().decide(id, DecisionOption.Approve, "go").getState())
        .isEqualTo(DecisionState.Answered);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("t1"))
        .endsWith("Update", "Diagnose", "PowerCycle", "Verify", "Update", "Health", "Recover");
    assertThat(
            catchThrowable(() -> restartableRoom.client().decide(id, DecisionOption.Refuse, "no")))
        .hasMessageContaining("was decided already: Approve by");
    assertThat(
            restartableRoom
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
            "Cordon",
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
    restartableRoom.fleet().ladder = new Ladder(BOTH.rungs(), Set.of(Rung.POWER_CYCLE));
    String rollout = restartableRoom.submit("t3");
    String id = asked("t3");
    assertThat(restartableRoom.done("t3"))
        .startsWith("Cordon", "Drain", "Update", "Diagnose", "Update");
    assertThat(restartableRoom.client().decide(id, DecisionOption.Approve, "go").getFacts())
        .containsEntry("action", "PowerCycle");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("t3")).isEqualTo(climbed);
    restartableRoom.fleet().ladder = BOTH;
    assertThat(restartableRoom.ended(restartableRoom.submit("t4")).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("t4")).isEqualTo(climbed);
    assertThat(restartableRoom.client().decisions(false)).as("nobody was asked again").hasSize(1);
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.CRASH, end = "Answered")
  void anotherProcessFindsTheQuestion() {
    start(JobStep.Update, "PowerCycle", "t2");
    asks(Rung.POWER_CYCLE);
    String rollout = restartableRoom.submit("t2");
    String id = asked("t2");
    restartableRoom.stop();
    restartableRoom.start().failing(JobStep.Update, ill::contains).cure("PowerCycle", ill::remove);
    assertThat(restartableRoom.client().decide(id, DecisionOption.Approve, "go").getState())
        .isEqualTo(DecisionState.Answered);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
  }

  @Test
  void whatAPersonRefusesIsLeftOut() {
    start(JobStep.Update, "nothing", "u1");
    asks(Rung.POWER_CYCLE);
    String rollout = restartableRoom.submit("u1");
    restartableRoom.client().decide(asked("u1"), DecisionOption.Refuse, "not this one");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.done("u1")).endsWith("Drain", "Update", "Diagnose");
  }

  private void asks(Rung rung) {
    restartableRoom.fleet().ladder = new Ladder(List.of(rung), Set.of(rung));
  }

  private String asked(String host) {
    restartableRoom.until(
        () ->
            restartableRoom.client().decisions(false).stream()
                .anyMatch(one -> one.getHosts().contains(host)));
    return restartableRoom.client().decisions(false).stream()
        .filter(one -> one.getHosts().contains(host))
        .map(Decision::getId)
        .findFirst()
        .orElseThrow();
  }

  private void hadRelease(String release, String host) {
    restartableRoom.fleet().host(host);
    restartableRoom
        .fleet()
        .execute(
            "INSERT INTO releases (name, spec, created_by) SELECT '%1$s', jsonb_set(spec, '{name}', '\"%1$s\"'), created_by FROM releases WHERE name = '2' ON CONFLICT DO NOTHING"
                .formatted(release));
    restartableRoom
        .fleet()
        .execute("UPDATE hosts SET release = '%s' WHERE name = '%s'".formatted(release, host));
  }

  /** The releases of its jobs in order, and whether packages might go back. */
  private String orders(String host, JobStep step) {
    return restartableRoom.rows().jobs(step, host).stream()
        .map(job -> job.release() + " " + job.says("downgrade").replace("none", "false"))
        .collect(Collectors.joining(", "));
  }

  @Test
  @Tag("full")
  void whatHelpedNoneOfItsKindIsTriedOnNoMore() {
    start(JobStep.Update, "nothing", "n1", "n2", "n3", "n4");
    climbs(Rung.RETRY_STEP);
    restartableRoom.world().holdBack(JobStep.Update, "n4"::equals);
    String rollout = restartableRoom.submit("n1", "n2", "n3", "n4");
    restartableRoom.until(() -> restartableRoom.client().rollout(rollout).getQuarantined() == 3);
    restartableRoom.world().letGo(JobStep.Update);
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(4);
    assertThat(restartableRoom.done("n3"))
        .containsExactly("Cordon", "Drain", "Update", "Diagnose", "Update");
    assertThat(restartableRoom.done("n4")).containsExactly("Cordon", "Drain", "Update", "Diagnose");
    assertThat(restartableRoom.host(rollout, "n4").getReason())
        .endsWith(
            "remediation tried nothing; last nothing helped on 3 hosts of its hardware class that"
                + " have the same");
  }

  /** A release that breaks its hosts does so on all of a kind. */
  @Test
  void whatWentBackWasNotHelpedWithWhatItHas() {
    String rollout = breaking("p1", "p2", "p3", "p4");
    restartableRoom.until(
        () ->
            restartableRoom.rows().remediations().stream()
                    .filter(one -> one.state().equals("Resumed") && one.wentBack())
                    .count()
                == 3);
    restartableRoom.world().letGo(JobStep.Recover);
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.host(rollout, "p4").getReason())
        .contains("nothing helped on 3 hosts");
  }

  @Test
  @Tag("full")
  void whatWentBackAndFailsAgainIsRepairedAgain() {
    assertThat(restartableRoom.ended(breaking("q2")).getReverted()).isEqualTo(1);
    restartableRoom.world().failing(JobStep.Recover, host -> false);
    restartableRoom
        .world()
        .failing(JobStep.Health, host -> restartableRoom.done(host).getLast().equals("Update"));
    climbs(Rung.RETRY_STEP);
    assertThat(restartableRoom.ended(restartableRoom.submitAgain("q2")).getUpgraded()).isEqualTo(1);
  }

  @Test
  @Tag("full")
  void whatFailsAgainRightAfterItWasHelpedIsLeftToPeople() {
    start(JobStep.Update, "Diagnose", "o1");
    String first = restartableRoom.submit("o1");
    assertThat(restartableRoom.ended(first).getUpgraded()).isEqualTo(1);
    ill.add("o1");
    restartableRoom.world().cure("Diagnose", host -> {});
    restartableRoom.fleet().execute("UPDATE hosts SET release = '1' WHERE name = 'o1'");
    String second = restartableRoom.submitAgain("o1");
    assertThat(restartableRoom.ended(second).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.host(second, "o1").getReason())
        .contains("it was helped less than 60 min ago");
  }

  private void climbs(Rung rung) {
    restartableRoom.fleet().ladder = new Ladder(List.of(rung));
  }

  /** Not the first, which is that of its batch. */
  private void cureAgain(String work, String host) {
    cureAgain(work, host, 1);
  }

  /** Not those before, so many. */
  private void cureAgain(String work, String host, int before) {
    if (Collections.frequency(restartableRoom.done(host), work) >= before) {
      ill.remove(host);
    }
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.FAILURE, end = "Exhausted")
  void whatNothingHelpsIsQuarantinedWithWhatWasTried() {
    start(JobStep.Health, "nothing", "d1");
    String rollout = restartableRoom.submit("d1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.host(rollout, "d1").getReason())
        .isEqualTo(
            "Health: Health Failed; remediation tried RetryStep, PowerCycle; last Resume: Health"
                + " Failed");
    assertThat(restartableRoom.locks("d1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
  }

  /** The control: the same host without a ladder. */
  @Test
  void withoutALadderItIsOnlyDiagnosed() {
    start(JobStep.Update, "Diagnose", "e1");
    restartableRoom.fleet().ladder = Ladder.NONE;
    String rollout = restartableRoom.submit("e1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.done("e1")).containsExactly("Cordon", "Drain", "Update", "Diagnose");
    assertThat(restartableRoom.host(rollout, "e1").getReason())
        .isEqualTo("Update: Update Failed; diagnosis: Repair Done");
    assertThat(
            restartableRoom
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
    restartableRoom.world().holdBack(JobStep.Repair);
    String rollout = restartableRoom.submit("f1");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "f1").getReason().endsWith("remediation: Diagnose"));
    restartableRoom.stop();
    restartableRoom.start();
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("f1"))
        .containsExactly("Cordon", "Drain", "Update", "Diagnose", "Update", "Health", "Recover");
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.ABORT, end = "Resumed")
  void anAbortLetsItEndAndTheRolloutWithIt() {
    start(JobStep.Update, "Diagnose", "g1");
    restartableRoom.world().holdBack(JobStep.Repair);
    String rollout = restartableRoom.submit("g1");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "g1").getReason().endsWith("remediation: Diagnose"));
    restartableRoom.client().abortRollout(rollout, "enough");
    restartableRoom.world().letGo(JobStep.Repair);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Aborted);
    assertThat(restartableRoom.host(rollout, "g1").getState()).isEqualTo(HostUpgradeState.Upgraded);
    restartableRoom.until(() -> restartableRoom.locks("g1").isEmpty());
  }

  @Test
  @Shows(of = Remediation.State.class, states = "Open", exit = Exit.TIME_OUT, end = "Resumed")
  void itWaitsForWhoRepairs() {
    start(JobStep.Update, "Diagnose", "h1");
    restartableRoom.world().holdBack(JobStep.Repair);
    String rollout = restartableRoom.submit("h1");
    restartableRoom.until(() -> restartableRoom.rows().jobs(JobStep.Repair, "h1").size() == 1);
    restartableRoom.fleet().workAsIf.late(restartableRoom.rows().jobs(JobStep.Repair, "h1"));
    restartableRoom.world().letGo(JobStep.Repair);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.rows().jobs(JobStep.Repair, "h1"))
        .as("its time counts from the claim")
        .hasSize(1);
  }

  /** I5: its update failed, and nobody claims the one that is to mend it. */
  @Test
  void aHostWhoseNextUpdateNobodyTakesIsNotPutBackInService() {
    start(JobStep.Update, "Diagnose", "k1");
    climbs(Rung.RETRY_STEP);
    restartableRoom.world().holdBack(JobStep.Repair);
    String rollout = restartableRoom.submit("k1");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "k1").getReason().endsWith("remediation: Diagnose"));
    restartableRoom.world().holdBack(JobStep.Update).letGo(JobStep.Repair);
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "k1").getReason().endsWith("remediation: RetryStep"));
    String grant = restartableRoom.host(rollout, "k1").getGrant();
    restartableRoom.fleet().workAsIf.late(restartableRoom.rows().waiting(grant, JobStep.Update));
    assertThat(restartableRoom.done("k1")).containsExactly("Cordon", "Drain", "Update", "Diagnose");
    assertThat(restartableRoom.locks("k1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.BATCH);
    restartableRoom.world().letGo(JobStep.Update);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
  }
}
