package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobResult;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.proto.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Questions to controllers on the board. */
@Tag("stack")
class ApprovalsTest extends BoardFixture {
  private static final Principal TEAM =
      new Principal("web-controller", "web", Role.CONSUMER, Set.of("web-approvals"));
  private static final String GOOD =
      "\"decision\": \"Partial\", \"approved\": [\"a\", \"b\"], \"waiting\": [\"c\"]";

  private static int rounds;

  /** A question about the groups a b, and c. */
  private static String asked() {
    fleet.execute("UPDATE approvals SET state = 'Expired' WHERE state IN ('Pending', 'Claimed')");
    String id = "ask.Approve.web-approvals." + ++rounds;
    fleet.execute(
        """
        INSERT INTO approvals (id, topic, round, state, deadline, spec)
        VALUES ('%s', 'web-approvals', %d, 'Pending', clock_timestamp() + interval '30 seconds',
          '{"id": "%s", "grant": "", "rollout": "", "host": "", "address": "", "step": "Approve",
            "topic": "web-approvals", "round": %d, "deadlineSeconds": 30, "createdAt": 1, "ask": {
              "groups": [{"hosts": ["h1"], "begun": false, "instances": [
                            {"id": "a", "application": "web", "zone": "z"},
                            {"id": "b", "application": "web", "zone": "z"}]},
                         {"hosts": ["h2"], "begun": false, "instances": [
                            {"id": "c", "application": "web", "zone": "z"}]}],
              "presumedDown": []}}')
        """
            .formatted(id, rounds, id, rounds));
    return id;
  }

  private static String taken(String job) {
    ClaimResult claimResult = board.claim(job, "consumer", TEAM);
    assertThat(claimResult).isInstanceOf(ClaimResult.Granted.class);
    return ((ClaimResult.Granted) claimResult).secret();
  }

  private static CompletionResult answer(String job, String claimResult, String answer) {
    String result =
        "{\"outcome\": \"Done\", \"message\": \"\", \"answer\": {%s}}".formatted(answer);
    return board.complete(job, claimResult, JobReport.of(Json.read(result, JobResult.class)), TEAM);
  }

  private static CompletionResult lost(String job, String standing) {
    return new CompletionResult.Refused(
        CompletionResult.Reason.CLAIM_LOST,
        "this claim of job %s is not the current one; the job is %s".formatted(job, standing));
  }

  @Test
  void aQuestionIsOfferedClaimedAndAnsweredOnce() {
    String job = asked();
    assertThat(claimable(List.of("web-approvals")))
        .singleElement()
        .satisfies(
            offered -> {
              assertThat(offered.getId()).isEqualTo(job);
              assertThat(Objects.requireNonNull(offered.getAsk()).getGroups()).hasSize(2);
            });
    String claimResult = taken(job);
    assertThat(claimable(List.of("web-approvals"))).isEmpty();
    assertThat(reason(board.claim(job, "another", TEAM)))
        .isEqualTo(ClaimResult.Reason.JOB_NOT_PENDING);
    assertThat(board.heartbeat(job, claimResult)).hasValue(10);
    assertThat(answer(job, claimResult, GOOD)).isEqualTo(new CompletionResult.Accepted(false));
    assertThat(answer(job, claimResult, GOOD)).isEqualTo(new CompletionResult.Accepted(true));
    assertThat(
            refusal(
                answer(
                    job,
                    claimResult,
                    "\"decision\": \"Wait\", \"waiting\": [\"a\", \"b\", \"c\"]")))
        .isEqualTo(CompletionResult.Reason.RESULT_DIFFERS);
  }

  @Test
  void onlyConsumersOfItsTopicAnswer() {
    assertThat(reason(board.claim(asked(), "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.TOPIC_NOT_YOURS);
  }

  @Test
  void aWrongAnswerIsRefusedAndMayBeCorrected() {
    String job = asked();
    String claimResult = taken(job);
    for (String wrong :
        List.of(
            "\"decision\": \"Approved\", \"approved\": [\"a\", \"b\"]",
            "\"decision\": \"Approved\", \"approved\": [\"a\", \"b\", \"c\", \"d\"]",
            "\"decision\": \"Partial\", \"approved\": [\"a\"], \"denied\": [\"b\", \"c\"]",
            GOOD + ", \"expiresAt\": 1",
            GOOD + ", \"retryAfterSeconds\": 0")) {
      assertThat(refusal(answer(job, claimResult, wrong)))
          .as(wrong)
          .isEqualTo(CompletionResult.Reason.INVALID_RESULT);
    }
    assertThat(fleet.value("SELECT refusal FROM approvals WHERE id = '" + job + "'"))
        .contains("retryAfterSeconds: is 0");
    assertThat(refusal(board.complete(job, claimResult, done("as you like"), TEAM)))
        .as("done without an answer")
        .isEqualTo(CompletionResult.Reason.INVALID_RESULT);
    assertThat(answer(job, claimResult, GOOD)).isEqualTo(new CompletionResult.Accepted(false));
  }

  @Test
  void whoFellSilentIsFollowedInTheSameRound() {
    String job = asked();
    String first = taken(job);
    fleet.execute("UPDATE approvals SET lease_until = clock_timestamp() WHERE id = '" + job + "'");
    String second = taken(job);
    assertThat(answer(job, first, GOOD)).isEqualTo(lost(job, "Claimed in attempt 2"));
    assertThat(answer(job, second, GOOD)).isEqualTo(new CompletionResult.Accepted(false));
    assertThat(answer(job, first, GOOD)).isEqualTo(lost(job, "Done in attempt 2"));
  }

  @Test
  void nothingIsAnsweredAfterItsTime() {
    String job = asked();
    String claimResult = taken(job);
    fleet.execute("UPDATE approvals SET deadline = clock_timestamp() WHERE id = '" + job + "'");
    assertThat(refusal(answer(job, claimResult, GOOD)))
        .isEqualTo(CompletionResult.Reason.CLAIM_LOST);
    assertThat(board.heartbeat(job, claimResult)).isEmpty();
    assertThat(claimable(List.of("web-approvals"))).isEmpty();
  }

  /** The control: nothing else keeps a second question of a topic from being open. */
  @Test
  void theDatabaseKeepsOneQuestionOfATopicOpen() {
    asked();
    String second =
        "INSERT INTO approvals (id, topic, round, state, deadline, spec) VALUES"
            + " ('ask.Approve.web-approvals.%d', 'web-approvals', %d, 'Pending', clock_timestamp(), '{}')";
    int round = ++rounds;
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> fleet.execute(second.formatted(round, round)))
        .hasMessageContaining("approvals_open");
    fleet.execute("DROP INDEX approvals_open");
    fleet.execute(second.formatted(round, round));
    fleet.execute("DELETE FROM approvals WHERE round = " + round);
    fleet.execute(
        "CREATE UNIQUE INDEX approvals_open ON approvals (topic) WHERE state IN ('Pending', 'Claimed')");
  }

  /** What an open check rests on may end before its Drain is claimed. */
  @Test
  void noDrainBeginsAfterTheApprovalEnded() {
    String job = fleet.drainPublished("approval-ended");
    String grant = grantOf(job);
    fleet.asIf.approvalEnded(grant);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    Instant later = Instant.now().plusSeconds(60).truncatedTo(ChronoUnit.SECONDS);
    fleet.decide(grant, Fleet.GRANT.until(Optional.of(later)));
    assertThat(rows.openUntil(grant)).isEqualTo(later);
    granted(job);
  }
}
