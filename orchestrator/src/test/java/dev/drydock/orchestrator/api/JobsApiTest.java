package dev.drydock.orchestrator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The job board over HTTP. */
@Tag("stack")
class JobsApiTest {

  @Test
  void whoLostAJobIsToldWhereItIs() {
    try (TestDatabase database = new TestDatabase()) {
      Fleet fleet = new Fleet(database.jdbi());
      JobBoard board =
          new JobBoard(
              database.jdbi(),
              BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofMinutes(1)));
      String job = fleet.drainPublished("h01");
      ClaimResult.Granted first =
          (ClaimResult.Granted) board.claim(job, "first", HookBench.ANYBODY);
      fleet.workAsIf.givenBack(job);
      ClaimResult.Granted second =
          (ClaimResult.Granted) board.claim(job, "second", HookBench.ANYBODY);
      try (TestApi api =
              TestApi.start(
                  Resources.of(JobsResource.class, () -> new JobsResource(board, new Metrics())),
                  Map.of("all", new Principal("all", "sre", Role.ADMIN, Set.of())));
          DrydockClient client =
              new DrydockClient(ClientConfig.of(api.address(), RestartableRoom.token("all")))) {
        assertThat(lost(() -> client.heartbeat(job, first.secret())))
            .endsWith("cannot be renewed; the job is Claimed in attempt 2");
        assertThat(lost(() -> client.heartbeat("g9.Drain.h01.1", first.secret())))
            .endsWith("cannot be renewed; there is no such job");
        assertThat(lost(() -> client.note(job, first.secret(), Map.of("a", "1"))))
            .endsWith("keeps nothing; the job is Claimed in attempt 2");
        assertThat(lost(() -> client.complete(job, first.secret(), done("late"))))
            .endsWith("is not the current one; the job is Claimed in attempt 2");
        client.note(job, second.secret(), Map.of("a", "x".repeat(2000)));
        for (Map<String, String> wrong :
            List.of(
                Map.of("a", "x".repeat(2001)),
                Map.of("a", "\0"),
                Map.of("two\nlines", ""),
                IntStream.range(0, 33)
                    .boxed()
                    .collect(Collectors.toMap(String::valueOf, String::valueOf)))) {
          refused("INVALID_REQUEST", () -> client.note(job, second.secret(), wrong));
        }
        assertThat(fleet.rows.host("h01").facts()).hasSizeGreaterThan(2000);
        client.complete(job, second.secret(), done("in time"));
        assertThat(lost(() -> client.complete(job, first.secret(), done("in time"))))
            .endsWith("is not the current one; the job is Done in attempt 2");
        assertThat(refused("RESULT_DIFFERS", () -> client.complete(job, second.secret(), done(""))))
            .endsWith("ended as Done already");
      }
    }
  }

  private static JobResult done(String message) {
    return new JobResult().setOutcome(JobOutcome.Done).setMessage(message);
  }

  private static String lost(ThrowingCallable call) {
    return refused("CLAIM_LOST", call);
  }

  private static String refused(String code, ThrowingCallable call) {
    CallException refused = catchThrowableOfType(CallException.class, call);
    assertThat(refused.code()).isEqualTo(code);
    return String.valueOf(refused.getMessage());
  }
}
