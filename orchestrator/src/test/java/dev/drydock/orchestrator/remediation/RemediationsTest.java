package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostDecision;
import dev.drydock.api.HostDecisionKind;
import dev.drydock.api.RepairApprovalState;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.activity.BatchActivitiesImpl;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Window;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One remediation step by step over real rows, each step done twice as after a death. */
@Tag("stack")
class RemediationsTest {
  private static final Ladder RETRY = new Ladder(List.of(Rung.RETRY_STEP));

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.ladder = RETRY;
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** A batch of one host whose Update was given out and failed. */
  private BatchRun failed(String host) {
    BatchRun run = fleet.run(fleet.granted(host));
    fleet.activities.pursue(run, Phase.UPDATE);
    end("Update", "Failed", "{\"message\": \"dpkg ended with 100\"}");
    return run;
  }

  /** The live job of the step ends. */
  private void end(String step, String state, String result) {
    fleet.execute(
        """
        UPDATE jobs SET state = '%2$s', attempt = 1, result = '%3$s', ended_at = clock_timestamp()
        WHERE step = '%1$s' AND state = 'Pending'
        """
            .formatted(step, state, result));
  }

  private void diagnosed() {
    end("Repair", "Done", "{\"facts\": {\"diagnosis.reachable\": \"true\"}}");
  }

  private void advance(BatchRun run) {
    fleet.remediations.advance(run.grant(), "h01");
    fleet.remediations.advance(run.grant(), "h01");
  }

  private Status pursued(BatchRun run) {
    fleet.activities.pursue(run, Phase.UPDATE);
    return fleet.activities.pursue(run, Phase.UPDATE).status();
  }

  private String jobs() {
    return fleet.value(
        "SELECT string_agg(COALESCE(spec->>'repair', step) || ' ' || state, ', ' ORDER BY round)"
            + " FROM jobs");
  }

  private String remediation() {
    return fleet.value("SELECT string_agg(step || ' ' || state, ', ') FROM remediations");
  }

  /** How often the step was really given to somebody. */
  private String givenOut() {
    return fleet.value("SELECT count(*) FROM jobs WHERE step = 'Update' AND attempt > 0");
  }

  @Test
  void aDiagnosisIsToldWhatFailed() {
    fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP, Rung.REIMAGE));
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    assertThat(told("spec->>'repair' = 'Diagnose'"))
        .isEqualTo("Update, Update: dpkg ended with 100");
    diagnosed();
    advance(run);
    assertThat(told("step = 'Update' AND state = 'Pending'"))
        .as("nothing is wrong yet with the next round of the step")
        .isEqualTo("nothing");
    end("Update", "Failed", "{\"message\": \"it would remove own-tool\"}");
    advance(run);
    assertThat(told("spec->>'repair' = 'Diagnose' AND state = 'Pending'"))
        .as("by now something else is the matter")
        .isEqualTo("Update, it would remove own-tool");
  }

  private String told(String job) {
    return fleet.value(
        "SELECT COALESCE(spec->'facts'->>'failure.step' || ', ' ||"
            + " (spec->'facts'->>'failure.says'), 'nothing') FROM jobs WHERE "
            + job);
  }

  @Test
  void aRetryIsANewRoundAndResumesThePhase() {
    BatchRun run = failed("h01");
    assertThat(pursued(run)).isEqualTo(Status.WAITING);
    assertThat(jobs()).as("nothing is published by the batch").isEqualTo("Update Failed");
    advance(run);
    assertThat(jobs()).isEqualTo("Update Failed, Diagnose Pending");
    assertThat(pursued(run)).isEqualTo(Status.WAITING);
    assertThat(fleet.value("SELECT step || ' ' || reason FROM host_upgrades"))
        .isEqualTo("Update Update: dpkg ended with 100; remediation: Diagnose");
    diagnosed();
    assertThat(pursued(run)).isEqualTo(Status.WAITING);
    advance(run);
    assertThat(jobs()).isEqualTo("Update Failed, Diagnose Done, Update Pending");
    end("Update", "Done", "{}");
    advance(run);
    assertThat(givenOut()).isEqualTo("2");
    assertThat(remediation()).isEqualTo("Update Resumed");
    assertThat(pursued(run)).isEqualTo(Status.DONE);
    assertThat(fleet.value("SELECT reason FROM host_upgrades")).isEmpty();
    assertThat(fleet.value("SELECT string_agg(action, ' ' ORDER BY number) FROM remediation_steps"))
        .isEqualTo("Diagnose RetryStep");
  }

  /** As {@code drydock host why} shows it. */
  @Test
  void whatWasTriedIsToldOfTheHost() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    advance(run);
    assertThat(told())
        .containsExactly(
            "Update: dpkg ended with 100; remediation: RetryStep Pending",
            "Update: dpkg ended with 100; remediation: Diagnose Done");
    end("Update", "Done", "{}");
    advance(run);
    assertThat(told()).startsWith("Resumed: RetryStep helped").hasSize(3);
  }

  private List<String> told() {
    return new HostDecisions(database.jdbi())
            .until("h01", Instant.now().plusSeconds(60), new Window(0, 100), Fields.all())
            .elements()
            .stream()
            .filter(decision -> decision.getDecision().equals(HostDecisionKind.Remediated.name()))
            .map(HostDecision::getReason)
            .toList();
  }

  /** The control: a retry that is not done again, but gets the result of the last one. */
  @Test
  void aRetryThatIsNoNewRoundIsFoundOut() {
    fleet.execute(
        """
        CREATE FUNCTION same_again() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          SELECT state, ended_at INTO NEW.state, NEW.ended_at FROM jobs WHERE step = 'Update';
          RETURN NEW;
        END $$;
        CREATE TRIGGER same_again BEFORE INSERT ON jobs FOR EACH ROW
          WHEN (NEW.repairs AND NEW.step = 'Update') EXECUTE FUNCTION same_again();
        """);
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    advance(run);
    end("Update", "Done", "{}");
    advance(run);
    assertThat(givenOut()).isNotEqualTo("2");
    assertThat(remediation()).isNotEqualTo("Update Resumed");
  }

  @Test
  void whatDoesNotHelpEndsInAQuarantineWithWhatWasTried() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    advance(run);
    end("Update", "Failed", "{\"message\": \"dpkg ended with 100 again\"}");
    assertThat(pursued(run)).as("until its workflow has seen it").isEqualTo(Status.WAITING);
    advance(run);
    assertThat(remediation()).isEqualTo("Update Exhausted");
    assertThat(pursued(run)).isEqualTo(Status.BROKEN);
    assertThat(fleet.holds.table().locks()).containsKey("h01");
    assertThat(fleet.activities.quarantine(run, Phase.UPDATE)).isZero();
    assertThat(fleet.value("SELECT state || ' ' || reason FROM host_upgrades"))
        .isEqualTo(
            "Quarantined Update: dpkg ended with 100; remediation tried RetryStep; last RetryStep:"
                + " dpkg ended with 100 again");
  }

  /** The control: without a ladder nothing is tried. */
  @Test
  void withoutALadderTheHostIsQuarantinedAtOnce() {
    fleet.ladder = Ladder.NONE;
    BatchRun run = failed("h01");
    assertThat(pursued(run)).isEqualTo(Status.BROKEN);
    assertThat(fleet.value("SELECT count(*) FROM remediations")).isEqualTo("0");
  }

  /** Its workflow publishes the next round just while the batch asks the policies. */
  @Test
  void aRoundThatBeganSinceTheLastOneFailedIsWaitedFor() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    Remediations meanwhile =
        new Remediations(
            database.jdbi(),
            () -> {
              advance(run);
              return fleet.policies.now();
            },
            ServerConfig.Remediation.DEFAULT,
            (grant, host) -> {});
    BatchActivitiesImpl activities =
        new BatchActivitiesImpl(
            database.jdbi(), fleet.holds, fleet.policies, fleet.zones, meanwhile);
    assertThat(activities.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(jobs()).isEqualTo("Update Failed, Diagnose Done, Update Pending");
  }

  @Test
  void aLaterRunOfTheBatchGivesOutWhatAnEarlierOnePublished() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    BatchRun later = fleet.activities.begin(run.grant(), "another");
    assertThat(pursued(later)).isEqualTo(Status.WAITING);
    assertThat(fleet.value("SELECT run FROM jobs WHERE step = 'Repair'"))
        .isEqualTo(String.valueOf(later.run()));
  }

  /** Of the last step of a batch both hear at once. */
  @Test
  void whatHelpedDidSoAlsoWhereTheBatchWasThroughBefore() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    advance(run);
    end("Update", "Done", "{}");
    fleet.execute("UPDATE host_upgrades SET state = 'Upgraded'");
    advance(run);
    assertThat(remediation()).isEqualTo("Update Resumed");
  }

  @Test
  @Shows(of = RemediationState.class, states = "Open", exit = Exit.ABORT, end = "Left")
  void endsWhenPeopleTakeTheHost() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    fleet.execute("UPDATE host_upgrades SET state = 'Quarantined'");
    assertThat(fleet.remediations.advance(run.grant(), "h01")).isTrue();
    assertThat(remediation()).isEqualTo("Update Left");
    assertThat(fleet.remediations.open()).isEmpty();
  }

  /** Its only rung waits for a person. */
  private BatchRun asked() {
    fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP), Set.of(Rung.RETRY_STEP));
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    advance(run);
    assertThat(question()).isEqualTo(RepairApprovalState.Open);
    return run;
  }

  private RepairApprovalState question() {
    return new RepairApprovals(database.jdbi())
        .page(new Window(0, 10), Fields.all())
        .elements()
        .getFirst()
        .getState();
  }

  private String reminders() {
    return fleet.value(
        "SELECT string_agg(data->>'again', ' ' ORDER BY id) FROM events WHERE kind = 'RemediationAsked'");
  }

  @Test
  @Shows(of = RepairApprovalState.class, states = "Open", exit = Exit.TIME_OUT, end = "Expired")
  void whatNobodyApprovesInTimeIsLeftOut() {
    BatchRun run = asked();
    fleet.execute("UPDATE repair_approvals SET expires_at = clock_timestamp()");
    advance(run);
    assertThat(question()).isEqualTo(RepairApprovalState.Expired);
    assertThat(remediation()).isEqualTo("Update Exhausted");
    assertThat(pursued(run)).isEqualTo(Status.BROKEN);
  }

  @Test
  void peopleAreRemindedOfWhatTheyHaveNotAnswered() {
    BatchRun run = asked();
    assertThat(reminders()).isEqualTo("false");
    fleet.execute("UPDATE repair_approvals SET remind_at = clock_timestamp()");
    advance(run);
    assertThat(reminders()).isEqualTo("false true");
    assertThat(question()).isEqualTo(RepairApprovalState.Open);
  }

  @Test
  @Shows(of = RepairApprovalState.class, states = "Open", exit = Exit.ABORT, end = "Expired")
  void nobodyIsWaitedForOnceTheRolloutIsAborted() {
    BatchRun run = asked();
    fleet.execute("UPDATE rollouts SET state = 'Aborting'");
    advance(run);
    assertThat(question()).isEqualTo(RepairApprovalState.Expired);
    assertThat(remediation()).isEqualTo("Update Exhausted");
    assertThat(fleet.value("SELECT answered_by || ': ' || reason FROM repair_approvals"))
        .isEqualTo("drydock: its rollout was aborted");
  }

  @Test
  @Shows(of = RepairApprovalState.class, states = "Open", exit = Exit.FAILURE, end = "Over")
  void aQuestionIsOverWhenPeopleTakeTheHost() {
    BatchRun run = asked();
    fleet.execute("UPDATE host_upgrades SET state = 'Quarantined'");
    advance(run);
    assertThat(question()).isEqualTo(RepairApprovalState.Over);
  }

  @Test
  void whoeverEndsItsJobWakesItAndNobodyElse() {
    BatchRun run = failed("h01");
    pursued(run);
    advance(run);
    diagnosed();
    assertThat(
            fleet.value("SELECT string_agg(workflow, ' ') FROM wakeups WHERE workflow LIKE 'rem%'"))
        .isEqualTo("remediation/" + run.grant() + "/h01");
  }
}
