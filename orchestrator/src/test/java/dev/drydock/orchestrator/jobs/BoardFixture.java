package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.ClaimResult.Granted;
import dev.drydock.orchestrator.jobs.ClaimResult.Refused;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A board on a real PostgreSQL, and short ways to speak with it. It is the board of whatever class
 * extends this and runs, one after the other.
 */
@Execution(ExecutionMode.SAME_THREAD)
abstract class BoardFixture {
  static final BoardTimes TIMES =
      new BoardTimes(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(30), 3);
  static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));
  static final List<String> TOPICS = List.of("scheduler/static");

  static TestDatabase database;
  static Fleet fleet;
  static BatchRows rows;
  static JobBoard board;
  static volatile Duration sinceBoot = Duration.ofHours(1);

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    rows = new BatchRows(database.jdbi(), fleet);
    board = board(TIMES);
  }

  /** Another process over the same rows. */
  static JobBoard board(BoardTimes times) {
    return new JobBoard(database.jdbi(), times, new Claims(times), () -> sinceBoot);
  }

  /** The board looks, time passes in which nobody is heard, and the board looks again. */
  static void silence(JobBoard watching, int seconds) {
    watching.expire();
    sinceBoot = sinceBoot.plusSeconds(seconds);
    watching.expire();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  static Granted granted(String job) {
    ClaimResult claimResult = board.claim(job, "consumer", ADAPTER);
    assertThat(claimResult).isInstanceOf(Granted.class);
    return (Granted) claimResult;
  }

  static ClaimResult.Reason reason(ClaimResult claimResult) {
    return ((Refused) claimResult).reason();
  }

  static CompletionResult.Reason refusal(CompletionResult completionResult) {
    return ((CompletionResult.Refused) completionResult).reason();
  }

  static JobReport done(String message) {
    return JobReport.of(new JobResult().setOutcome(JobOutcome.Done).setMessage(message));
  }

  /** A recovery of the host with one healthy instance, read under the mark. */
  static JobReport read(String host, long mark) {
    String json =
        """
        {"outcome": "Done", "message": "recovered", "facts": {}, "mark": %d, "instances": [
          {"id": "web@%s", "application": "web", "host": "%s", "zone": "z1", "health": "Healthy",
           "detail": "", "observedAt": 1}]}
        """
            .formatted(mark, host, host);
    return JobReport.of(Json.read(json, JobResult.class));
  }

  static Predicate<Job> of(String job) {
    return claimable -> claimable.getId().equals(job);
  }

  /** All that could be claimed. */
  static List<Job> claimable(List<String> topics) {
    return claimable(topics, JobStep.values());
  }

  static List<Job> claimable(List<String> topics, JobStep... steps) {
    return board
        .claimable(topics, List.of(steps), new PageRequest(0, 100), FieldMask.all())
        .elements();
  }

  static String grantOf(String job) {
    return job.substring(0, job.indexOf('.'));
  }

  /** Drives the batch; answers to which end it goes back, and why. */
  static String turnedBack(String grant) {
    fleet.drive(grant);
    return rows.way(grant);
  }

  static String state(String job) {
    return rows.state(job);
  }

  /** As if its time had just ended under the eyes of the board. */
  static void overdue(String... jobs) {
    board.expire();
    for (String job : jobs) {
      fleet.workAsIf.left(job, 0);
    }
  }

  /** As if nobody had looked after the board for so long. */
  static void away(int seconds) {
    fleet.execute("UPDATE board_looks SET at = at - interval '%d s'".formatted(seconds));
  }

  /** As if the clock of the database had just been set back by so much. */
  static void setBack(int seconds) {
    fleet.execute("UPDATE board_looks SET at = at + interval '%d s'".formatted(seconds));
  }

  /** As if the open check of the job's grant had been decided that long ago. */
  static void opened(String job, int secondsAgo) {
    fleet.asIf.opened(grantOf(job), secondsAgo);
  }
}
