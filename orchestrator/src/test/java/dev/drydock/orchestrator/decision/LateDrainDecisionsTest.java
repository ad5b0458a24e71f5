package dev.drydock.orchestrator.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every outcome of a drain that does not end, over the public API, with PostgreSQL and Temporal.
 */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class LateDrainDecisionsTest {
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  /** A rollout of one host that does not drain. */
  private String lateRollout(Way way, String host) {
    restartableRoom.fleet().late = new LateDrain(way, Duration.ofMinutes(10), Duration.ofHours(1));
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

  private Decision asked() {
    restartableRoom.until(() -> !restartableRoom.client().decisions(false).isEmpty());
    return restartableRoom.client().decisions(false).getFirst();
  }

  private Decision answer(String by, Decision question, DecisionOption answer) {
    try (DrydockClient client = restartableRoom.client(by)) {
      return client.decide(question.getId(), answer, "because");
    }
  }

  private void refused(
      String by, Decision question, DecisionOption answer, int status, String why) {
    assertThatThrownBy(() -> answer(by, question, answer))
        .isInstanceOfSatisfying(
            CallException.class, refusal -> assertThat(refusal.status()).isEqualTo(status))
        .hasMessageContaining(why);
  }

  private void wake(Decision question) {
    restartableRoom.fleet().asIf.woken(question.getGrant());
  }

  private String only(String sql) {
    return restartableRoom.fleet().value(sql);
  }

  @Test
  void aRequeuedHostIsTriedAgainWithTheAgeOfItsFirstTurn() {
    String rollout = lateRollout(Way.REQUEUE, "a1");
    restartableRoom.until(
        () ->
            restartableRoom
                .host(rollout, "a1")
                .getReason()
                .contains("was not drained within 1200 s"));
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "a1").getState() == HostUpgradeState.Pending);
    assertThat(restartableRoom.rows().host("a1").notBefore()).as("it backs off").isPresent();
    assertThat(restartableRoom.rows().host("a1").age())
        .isPresent()
        .isEqualTo(restartableRoom.rows().batches().getFirst().age());
    restartableRoom.world().outcome(JobStep.Drain, JobOutcome.Done);
    restartableRoom.fleet().asIf.backOffOver();
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.client().decisions(false)).as("nobody was asked").isEmpty();
  }

  @Test
  void aQuarantinedHostStaysHeldWithTheReason() {
    String rollout = lateRollout(Way.QUARANTINE, "b1");
    assertThat(restartableRoom.ended(rollout).getQuarantined()).isEqualTo(1);
    assertThat(restartableRoom.host(rollout, "b1").getReason()).contains("was not drained within");
    assertThat(restartableRoom.locks("b1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
  }

  @Test
  void peopleAreAskedAndItIsDrainedAnewOnceTheySayWait() {
    String rollout = lateRollout(Way.ASK, "c1");
    Decision question = asked();
    assertThat(question.getState()).isEqualTo(DecisionState.Open);
    assertThat(restartableRoom.host(rollout, "c1").getReason())
        .endsWith("; drydock decision answer " + question.getId());
    assertThat(restartableRoom.locks("c1")).as("it counts as down").hasSize(1);
    restartableRoom.world().outcome(JobStep.Drain, JobOutcome.Done);
    assertThat(answer("ann", question, DecisionOption.Wait).getAnsweredBy()).isEqualTo("ann");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("c1"))
        .containsExactly("Cordon", "Drain", "Drain", "Update", "Health", "Recover");
    assertThat(restartableRoom.rows().checks("open"))
        .extracting(Row.Check::state)
        .containsExactly("Grant", "Grant");
    assertThat(restartableRoom.client().hostDecisions("c1", Long.MAX_VALUE, 20))
        .filteredOn(decision -> decision.getDecision().equals("NotDrained"))
        .extracting(HostDecision::getReason)
        .satisfiesExactly(
            told -> assertThat(told).contains("was answered Wait: because"),
            told -> assertThat(told).contains("c1 was not drained within 1200 s"));
    refused(
        "ben", question, DecisionOption.Requeue, 409, "was decided already: Wait by ann: because");
  }

  @Test
  @Shows(
      of = DecisionState.class,
      states = "Open",
      exit = Exit.FAILURE,
      end = "Answered, and its batch goes back")
  void anAnswerIsNotActedOnIfTheFleetHasChanged() {
    String rollout = lateRollout(Way.ASK, "d1");
    Decision question = asked();
    restartableRoom.world().verdict(Check.Kind.OPEN, Fleet.WAIT);
    answer("ann", question, DecisionOption.Wait);
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "d1").getReason().equals("too few up"));
    restartableRoom.until(() -> restartableRoom.done("d1").contains("Recover"));
    assertThat(restartableRoom.done("d1")).startsWith("Cordon", "Drain", "Recover");
  }

  @Test
  void forceNeedsASecondPersonWhoOwnsWhatRunsThere() {
    String rollout = lateRollout(Way.ASK, "e1");
    Decision question = asked();
    assertThat(answer("ann", question, DecisionOption.Force).getState())
        .isEqualTo(DecisionState.AwaitsApproval);
    refused("ann", question, DecisionOption.Force, 409, "ann asked for Force already");
    refused("all", question, DecisionOption.Force, 409, "all started the rollout");
    refused("eve", question, DecisionOption.Force, 403, "nothing of team ads-team runs on [e1]");
    assertThat(restartableRoom.done("e1")).containsExactly("Cordon", "Drain");
    answer("ben", question, DecisionOption.Force);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("e1"))
        .containsExactly("Cordon", "Drain", "Drain!", "Update", "Health", "Recover");
    assertThat(
            only(
                "SELECT string_agg(principal, ' ' ORDER BY id) FROM audit WHERE action ="
                    + " 'decision.answer'"))
        .isEqualTo("ann ben");
    assertThat(restartableRoom.client().decision(question.getId()).getProposedBy())
        .isEqualTo("ann");
    assertThat(restartableRoom.client().hostDecisions("e1", Long.MAX_VALUE, 20))
        .filteredOn(decision -> "ben".equals(decision.getBy()))
        .extracting(HostDecision::getReason)
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("was answered Force, asked for by ann: because");
  }

  @Test
  void aPolicyThatForcesWaitsForOneApproval() {
    String rollout = lateRollout(Way.FORCE, "f1");
    Decision question = asked();
    assertThat(question.getState()).isEqualTo(DecisionState.AwaitsApproval);
    refused("all", question, DecisionOption.Force, 409, "all started the rollout");
    answer("ann", question, DecisionOption.Force);
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.done("f1")).contains("Drain!");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.TIME_OUT, end = "Expired")
  void nobodyAnswersAndItIsRequeuedForGood() {
    String rollout = lateRollout(Way.ASK, "g1");
    Decision question = asked();
    restartableRoom.fleet().workAsIf.decisionsAreDue();
    wake(question);
    restartableRoom.until(
        () ->
            restartableRoom.rows().told("DecisionAsked").stream()
                .anyMatch(told -> String.valueOf(told.data().get("again")).equals("true")));
    restartableRoom.fleet().workAsIf.decisionsExpire();
    refused("ann", question, DecisionOption.Wait, 409, "decision " + question.getId());
    wake(question);
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "g1").getState() == HostUpgradeState.Pending);
    assertThat(restartableRoom.client().decision(question.getId()).getState())
        .isEqualTo(DecisionState.Expired);
    refused("ann", question, DecisionOption.Wait, 409, "was decided already: Requeue by drydock");
    assertThat(restartableRoom.host(rollout, "g1").getReason()).contains("nobody answered in time");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.ABORT, end = "Over")
  void anAbortTakesTheQuestionAway() {
    String rollout = lateRollout(Way.ASK, "h1");
    Decision question = asked();
    restartableRoom.client().abortRollout(rollout, "");
    refused("ann", question, DecisionOption.Wait, 409, "is over: its batch went back or ended");
    assertThat(restartableRoom.ended(rollout).getCancelled()).isEqualTo(1);
    assertThat(restartableRoom.client().decision(question.getId()).getState())
        .isEqualTo(DecisionState.Over);
    assertThat(restartableRoom.done("h1")).containsExactly("Cordon", "Drain", "Recover");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.CRASH, end = "Answered")
  void anAnswerIsActedOnAlsoIfItsProcessDiesRightAfterIt() {
    String rollout = lateRollout(Way.ASK, "i1");
    Decision question = asked();
    answer("ann", question, DecisionOption.Wait);
    restartableRoom.stop();
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Done);
    restartableRoom.until(
        () ->
            restartableRoom.host(rollout, "i1").getState() == HostUpgradeState.Upgraded
                || restartableRoom.client().decisions(false).size() > 1);
    assertThat(restartableRoom.rows().decisions().getFirst().answer()).isEqualTo("Wait");
    assertThat(restartableRoom.done("i1")).startsWith("Cordon", "Drain", "Drain");
  }

  @Test
  void aTeamIsToldOfTheQuestion() {
    lateRollout(Way.ASK, "j1");
    asked();
    assertThat(
            List.of(
                only("SELECT owners FROM events WHERE kind = 'DecisionAsked'"),
                only("SELECT count(*) FROM events WHERE kind = 'DrainLate'")))
        .containsExactly("{\"web-team\": [\"web\"]}", "1");
  }
}
