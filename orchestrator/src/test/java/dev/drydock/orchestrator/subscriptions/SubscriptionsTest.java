package dev.drydock.orchestrator.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.events.FeedEvent;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is told what, and how a reader goes on. */
@Tag("stack")
class SubscriptionsTest {
  private Teams teams;

  @BeforeEach
  void start() {
    teams = new Teams();
  }

  @AfterEach
  void stop() {
    teams.close();
  }

  @Test
  void aTeamIsToldOfItsHostsAndOnlyOfThose() {
    String search = teams.subscribe("search-owner", "oncall", "");
    String ads = teams.subscribe("ads-owner", "oncall", "");
    assertThat(search).isEqualTo("search~oncall");
    teams.quarantined(teams.drained("h01"), "h01", "dpkg of h01 ended with 100");
    Teams.Page told = teams.pending("search-consumer", search);
    assertThat(told.told())
        .containsExactly("Started h01", "Down h01", "Failed h01", "Quarantined h01");
    Map<String, Object> quarantined = told.notifications().getLast();
    assertThat(quarantined)
        .containsEntry("rollout", "r-h01")
        .containsEntry("release", "2")
        .containsEntry("kind", "HostQuarantined")
        .containsEntry("applications", List.of("web"));
    assertThat(quarantined.get("reason")).asString().contains("dpkg of h01 ended with 100");
    assertThat(Teams.tree(quarantined, "failure"))
        .containsEntry("step", "Update")
        .containsEntry("signature", "Update: dpkg of HOST ended with N");
    Map<String, Object> down = Teams.tree(told.notifications().get(1), "silence");
    Map<String, Object> back = Teams.tree(quarantined, "silence");
    assertThat(down).containsEntry("host", "h01").doesNotContainKey("end");
    assertThat((Long) back.get("end")).isGreaterThanOrEqualTo((Long) back.get("begin"));
    assertThat(teams.pending("ads-consumer", ads).told()).isEmpty();
  }

  @Test
  void whatIsNeverToldAnythingIsTakenWithAWarning() {
    String search =
        teams.subscribe("search-owner", "oncall", "\"applications\": [\"web\", \"wep\"]");
    assertThat(warnings("search-owner", search))
        .contains("no policy of team search covers wep")
        .doesNotContain("covers web");
    String nobody = teams.subscribe("admin", "oncall", "");
    assertThat(warnings("admin", nobody)).contains("team sre has no policy");
    teams.quarantined(teams.drained("h01"), "h01", "dpkg ended with 100");
    String over = teams.subscribe("search-owner", "over", "\"rollouts\": [\"r-h01\"]");
    teams.fleet.asIf.rolloutIs(RolloutState.Succeeded, "r-h01");
    assertThat(warnings("search-owner", over)).contains("rollout r-h01 has ended");
    String narrow = teams.subscribe("search-owner", "narrow", "\"events\": [\"Failed\"]");
    assertThat(warnings("search-owner", narrow)).as("the control").isEqualTo("[]");
    teams.fleet.execute(
        "INSERT INTO policy_notices (policy, subscription, events) VALUES ('search', 'narrow',"
            + " '{Done}')");
    assertThat(warnings("search-owner", narrow)).contains("has none of the words");
  }

  private String warnings(String principal, String id) {
    return String.valueOf(
        Json.readTree(teams.call(principal, "GET", "/" + id, "").body()).get("warnings"));
  }

  @Test
  void ofAHostThatNothingHelpedItIsToldWhatItHasAndWhatWasTried() {
    String search = teams.subscribe("search-owner", "oncall", "\"events\": [\"Quarantined\"]");
    BatchRun run = teams.drained("h01");
    teams.fleet.workAsIf.nothingHelped(drain("h01"), "disk-full");
    teams.quarantined(run, "h01", "dpkg of h01 ended with 100");
    Map<String, Object> failure =
        Teams.tree(teams.pending("search-consumer", search).notifications().getLast(), "failure");
    assertThat(failure).containsEntry("signature", "disk-full");
    assertThat(failure.get("tried"))
        .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
        .singleElement()
        .satisfies(
            tried -> {
              assertThat(tried.get("action")).isEqualTo("Diagnose");
              assertThat(tried.get("state")).isEqualTo("Done");
            });
  }

  /** One that is only slow is told from it. */
  @Test
  void aHostThatIsGivenUpAsItsDrainIsStuckIsCalledThat() {
    String search = teams.subscribe("search-owner", "oncall", "\"events\": [\"Quarantined\"]");
    lateDrain("h01", "Stuck");
    lateDrain("h02", "Slow");
    assertThat(teams.pending("search-consumer", search).notifications())
        .extracting(told -> Teams.tree(told, "failure").get("signature"))
        .containsExactly("drain-stuck", "Drain: N requests stay open");
  }

  private void lateDrain(String host, String pace) {
    String grant = teams.drained(host).grant();
    teams.fleet.workAsIf.notDrained(drain(host), pace, "3 requests stay open");
    teams.fleet.execute(
        """
        INSERT INTO events (kind, rollout, host, data)
        VALUES ('HostQuarantined', 'r-%1$s', '%1$s', '{"grant": "%2$s", "reason": "late"}')
        """
            .formatted(host, grant));
  }

  private Row.Job drain(String host) {
    return teams.fleet.rows.jobs(JobStep.Drain, host).getFirst();
  }

  @Test
  void whoWasToldThatAHostIsGivenUpIsToldThatItIsFree() {
    String search =
        teams.subscribe("search-owner", "oncall", "\"events\": [\"Quarantined\", \"Back\"]");
    String ads = teams.subscribe("ads-owner", "oncall", "");
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    teams.fleet.execute(
        "INSERT INTO events (kind, rollout, host, data) VALUES ('LockEnded', 'r-h01', 'h01', '{\"lock\": \"g1\", \"reason\": \"mended\"}')");
    assertThat(teams.pending("search-consumer", search).told())
        .containsExactly("Quarantined h01", "Back h01");
    assertThat(teams.pending("ads-consumer", ads).told()).isEmpty();
  }

  /** The control: were ownership not looked at, the other team would be told. */
  @Test
  void withoutTheTeamFilterTheOtherTeamWouldBeTold() {
    String ads = teams.subscribe("ads-owner", "oncall", "");
    teams.fleet.execute(
        """
        CREATE OR REPLACE FUNCTION owners_of(carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
          SELECT jsonb_object_agg(team, to_jsonb(carried)) FROM policies
        $$
        """);
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    assertThat(teams.pending("ads-consumer", ads).told()).contains("Quarantined h01");
  }

  @Test
  void whatRanThereWhenTheHostWasGrantedCountsAfterItsSchedulerMovedIt() {
    String search = teams.subscribe("search-owner", "oncall", "\"events\": [\"Quarantined\"]");
    BatchRun run = teams.drained("h01");
    teams.fleet.execute("UPDATE instances SET vanished_at = clock_timestamp()");
    teams.quarantined(run, "h01", "broken");
    assertThat(teams.pending("search-consumer", search).told()).containsExactly("Quarantined h01");
  }

  @Test
  void whatMovesThereLaterIsNotToldOfBefore() {
    String ads = teams.subscribe("ads-owner", "oncall", "");
    teams.drained("h01");
    teams.instance("ads", "h01");
    assertThat(teams.pending("ads-consumer", ads).told()).isEmpty();
    teams.fleet.asIf.rolloutIs(RolloutState.Paused);
    assertThat(teams.pending("ads-consumer", ads).told())
        .as("of the rollout neither: it was not on its hosts when they were granted")
        .isEmpty();
  }

  @Test
  void aPolicyThatNamesItNarrowsWhatIsToldOfItsApplications() {
    String oncall = teams.subscribe("search-owner", "oncall", "");
    String channel = teams.subscribe("search-owner", "channel", "");
    teams.fleet.execute(
        "INSERT INTO policy_notices VALUES ('search', 'oncall', '{Failed,Quarantined}')");
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    assertThat(teams.pending("search-consumer", oncall).told())
        .containsExactly("Failed h01", "Quarantined h01");
    assertThat(teams.pending("search-consumer", channel).told()).hasSize(4);
    Answer used = teams.call("search-owner", "DELETE", "/oncall", "");
    assertThat(used.status()).isEqualTo(409);
    assertThat(used.body()).contains("SUBSCRIPTION_IN_USE", "policy search");
  }

  @Test
  void aRolloutIsToldToTeamsOnItsHosts() {
    String search = teams.subscribe("search-owner", "oncall", "");
    String ads = teams.subscribe("ads-owner", "oncall", "");
    teams.fleet.host("h01");
    teams.fleet.rollout("r1", "h01");
    teams.fleet.execute("INSERT INTO events (kind, rollout) VALUES ('RolloutCreated', 'r1')");
    teams.fleet.asIf.rolloutIs(RolloutState.Paused);
    assertThat(teams.pending("search-consumer", search).told())
        .containsExactly("Started r1", "Paused r1");
    assertThat(teams.pending("ads-consumer", ads).told()).isEmpty();
  }

  @Test
  void whoeverElseTakesAHostIsToldOfFromBeginningToEnd() {
    String search = teams.subscribe("search-owner", "oncall", "");
    teams.fleet.host("h01");
    lock("LockGranted");
    teams.fleet.execute("UPDATE instances SET vanished_at = clock_timestamp()");
    lock("LockEnded");
    assertThat(teams.pending("search-consumer", search).told())
        .as("its scheduler moved the instances away meanwhile")
        .containsExactly("Down h01", "Back h01");
  }

  private void lock(String kind) {
    teams.fleet.execute(
        "INSERT INTO events (kind, host, data) VALUES ('%s', 'h01', '{\"lock\": \"t1\"}')"
            .formatted(kind));
  }

  /** The database says whom events concern, this program which of them are anything to teams. */
  @Test
  void theDatabaseLooksForOwnersOfExactlyWhatIsTold() {
    teams.fleet.host("h01");
    teams.fleet.rollout("r1", "h01");
    for (EventKind kind : EventKind.values()) {
      for (String state : List.of("InProgress", "Pending", "Cancelled", "Paused")) {
        for (String step : List.of("", "Drain", "Update")) {
          for (String host : List.of("'h01'", "NULL")) {
            owned(kind, state, step, host);
          }
        }
      }
    }
  }

  private void owned(EventKind kind, String state, String step, String host) {
    boolean lock = kind.name().startsWith("Lock");
    String data =
        step.isEmpty()
            ? "{\"state\": \"%s\"}".formatted(state)
            : "{\"state\": \"%s\", \"step\": \"%s\"}".formatted(state, step);
    String owners =
        teams.fleet.value(
            "INSERT INTO events (kind, rollout, host, data) VALUES ('%s', %s, %s, '%s') RETURNING owners"
                .formatted(kind.name(), lock ? "NULL" : "'r1'", lock ? "'h01'" : host, data));
    FeedEvent event =
        new FeedEvent(
            1, Instant.EPOCH, kind.name(), Optional.empty(), Optional.of("h01"), data, Map.of());
    boolean told = !NotificationWording.words(event).isEmpty();
    // A state of a rollout that no word tells of costs a look, and is told to nobody.
    if (told || kind != EventKind.RolloutChanged) {
      assertThat(!owners.equals("none") && !owners.equals("null"))
          .as(kind + " " + data)
          .isEqualTo(told);
    }
  }

  @Test
  void acknowledgedOnesDoNotComeAgainAndOthersDo() {
    String id = teams.subscribe("search-owner", "oncall", "");
    teams.drained("h01");
    Teams.Page first = teams.pending("search-consumer", id);
    assertThat(first.told()).containsExactly("Started h01", "Down h01");
    assertThat(teams.pending("search-consumer", id)).isEqualTo(first);
    String cursor = String.valueOf(first.notifications().getFirst().get("cursor"));
    assertThat(teams.ack("search-consumer", id, cursor).status()).isEqualTo(200);
    assertThat(teams.ack("search-consumer", id, cursor).status())
        .as("its answer may have been lost")
        .isEqualTo(200);
    teams.shut();
    teams.open();
    assertThat(teams.pending("search-consumer", id).told()).containsExactly("Down h01");
    assertThat(teams.ack("search-consumer", id, first.cursor()).status()).isEqualTo(200);
    assertThat(teams.pending("search-consumer", id).told()).isEmpty();
  }

  @Test
  void aCursorThatIsBehindOrUnknownIsRefusedWithWhereItStands() {
    String id = teams.subscribe("search-owner", "oncall", "");
    teams.drained("h01");
    String head = teams.pending("search-consumer", id).cursor();
    teams.ack("search-consumer", id, head);
    Answer behind = teams.ack("search-consumer", id, "1");
    assertThat(behind.status()).isEqualTo(409);
    assertThat(behind.body()).contains("CURSOR_BEHIND", "acknowledged up to " + head);
    Answer unknown = teams.ack("search-consumer", id, "999999");
    assertThat(unknown.status()).isEqualTo(409);
    assertThat(unknown.body())
        .contains("UNKNOWN_CURSOR", "the newest is " + head, "acknowledged up to " + head);
    assertThat(teams.ack("search-consumer", id, "x1").status()).isEqualTo(422);
    assertThat(acknowledged(id)).isEqualTo(head);
  }

  @Test
  void aReplayGoesBackOnPurposeAndIsAudited() {
    String id = teams.subscribe("search-owner", "oncall", "");
    teams.drained("h01");
    Teams.Page first = teams.pending("search-consumer", id);
    teams.ack("search-consumer", id, first.cursor());
    String replay = "/" + id + "?action=replay";
    assertThat(
            teams
                .call("search-consumer", "POST", replay, "{\"cursor\": \"0\", \"reason\": \"x\"}")
                .status())
        .as("a consumer may not")
        .isEqualTo(403);
    Answer done =
        teams.call(
            "search-owner", "POST", replay, "{\"cursor\": \"0\", \"reason\": \"lost disk\"}");
    assertThat(done.status()).as(done.body()).isEqualTo(200);
    assertThat(teams.pending("search-consumer", id).told()).isEqualTo(first.told());
    assertThat(
            teams.fleet.value(
                "SELECT principal || ' ' || object || ' ' || (detail->>'reason') FROM audit"
                    + " WHERE action = 'subscription.replay'"))
        .isEqualTo("search-owner subscription/search~oncall lost disk");
    Answer ahead =
        teams.call(
            "search-owner",
            "POST",
            replay,
            "{\"cursor\": \"" + first.cursor() + "\", \"reason\": \"x\"}");
    assertThat(ahead.body()).contains("CURSOR_AHEAD");
    Answer since =
        teams.call("search-owner", "POST", replay, "{\"since\": 0, \"reason\": \"all\"}");
    assertThat(Teams.value(since)).containsEntry("cursor", "0");
  }

  @Test
  void whatWasForgottenBeforeItWasAcknowledgedIsTold() {
    String id = teams.subscribe("search-owner", "oncall", "");
    String idle = teams.subscribe("ads-owner", "oncall", "");
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    teams.settle();
    String head = teams.pending("search-consumer", id).cursor();
    teams.shut();
    teams.fleet.execute("UPDATE events SET at = at - interval '8 d'");
    teams.open();
    Teams.until(() -> !teams.fleet.value("SELECT min(number) FROM events").equals("1"));
    Answer gone = teams.askPending("search-consumer", id);
    assertThat(gone.status()).isEqualTo(410);
    assertThat(gone.body())
        .contains("CursorGone", " events of hosts of team search from ", "it stands at cursor 0");
    Map<String, Object> now = Json.readTree(teams.call("search-owner", "GET", "/" + id, "").body());
    assertThat(now.get("lost")).as("all but the last two of the feed").isNotEqualTo(0);
    teams.ack("search-consumer", id, String.valueOf(now.get("lostUpTo")));
    assertThat(teams.pending("search-consumer", id).cursor()).isEqualTo(head);
    assertThat(teams.pending("ads-consumer", idle).told())
        .as("nothing of this team's was among it")
        .isEmpty();
  }

  /** Those two are not read at once. */
  @Test
  void whatIsForgottenAfterItWasReadWhatIsLostIsNotPassedOver() {
    String id = teams.subscribe("search-owner", "oncall", "");
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    teams.settle();
    List<String> told = teams.pending("search-consumer", id).told();
    AtomicBoolean forgets = new AtomicBoolean(true);
    teams
        .database
        .jdbi()
        .setSqlLogger(
            new SqlLogger() {
              @Override
              public void logAfterExecution(StatementContext context) {
                if (context.getRenderedSql().startsWith("SELECT * FROM subscriptions")
                    && forgets.getAndSet(false)) {
                  teams.forget();
                }
              }
            });
    Answer answer = teams.askPending("search-consumer", id);
    assertThat(forgets).as("they were forgotten in between").isFalse();
    assertThat(new Teams.Page(Json.readTree(answer.body())).told()).isEqualTo(told);
    assertThat(teams.askPending("search-consumer", id).status()).as("from then on").isEqualTo(410);
  }

  @Test
  void otherTeamsFindNothing() {
    String id = teams.subscribe("search-owner", "oncall", "");
    for (String path : List.of("/" + id, "/oncall")) {
      assertThat(teams.call("ads-owner", "GET", path, "").status()).as(path).isEqualTo(404);
    }
    String replay = "{\"cursor\": \"0\", \"reason\": \"x\"}";
    assertThat(teams.askPending("ads-owner", id).status()).isEqualTo(404);
    assertThat(teams.ack("ads-owner", id, "0").status()).isEqualTo(404);
    assertThat(teams.call("ads-owner", "POST", "/" + id + "?action=replay", replay).status())
        .isEqualTo(404);
    assertThat(teams.call("ads-owner", "DELETE", "/" + id, "").status()).isEqualTo(404);
    assertThat(teams.call("ads-owner", "GET", "", "").body()).doesNotContain("oncall");
    assertThat(teams.call("admin", "GET", "", "").body()).contains(id);
    assertThat(teams.call("search-viewer", "GET", "/oncall", "").status()).isEqualTo(200);
    assertThat(teams.call("search-viewer", "DELETE", "/oncall", "").status()).isEqualTo(403);
    Answer foreign = teams.call("ads-owner", "POST", "", "{\"name\": \"x\", \"team\": \"search\"}");
    assertThat(foreign.body()).contains("NOT_YOUR_TEAM");
    assertThat(teams.call("search-owner", "DELETE", "/oncall", "").status()).isEqualTo(204);
    assertThat(teams.call("search-owner", "GET", "/oncall", "").status()).isEqualTo(404);
  }

  @Test
  void aSecondCreationIsTheSameOrRefused() {
    String id = teams.subscribe("search-owner", "oncall", "\"events\": [\"Failed\", \"Paused\"]");
    assertThat(teams.subscribe("search-owner", "oncall", "\"events\": [\"Paused\", \"Failed\"]"))
        .isEqualTo(id);
    Answer other = teams.call("search-owner", "POST", "", "{\"name\": \"oncall\"}");
    assertThat(other.status()).isEqualTo(409);
    Answer wrong =
        teams.call(
            "search-owner",
            "POST",
            "",
            "{\"name\": \"On Call\", \"rollouts\": [\"r9\"], \"applications\": [\"a b\"]}");
    assertThat(wrong.status()).isEqualTo(422);
    assertThat(wrong.body()).contains("\"name\"", "rollouts[0]", "applications[0]");
    assertThat(
            teams
                .call("search-owner", "POST", "", "{\"name\": \"x\", \"events\": [\"Faild\"]}")
                .status())
        .isEqualTo(422);
  }

  private String acknowledged(String id) {
    return String.valueOf(
        Json.readTree(teams.call("search-owner", "GET", "/" + id, "").body()).get("acknowledged"));
  }
}
