package dev.drydock.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Time-outs of Temporal, on a real one, while a consumer is at work on the host. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class LateStepTest {
  private static final int ONE_TRY_SECONDS = 10;

  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  /** The step of the batch takes too long twice at least, and goes on in the end all the same. */
  @Test
  void aStepThatTemporalGaveUpChangesNothingForWhoHasTheJob() {
    restartableRoom.start().holdBack(JobStep.Update);
    String rollout = restartableRoom.submit("a1");
    restartableRoom.until(() -> restartableRoom.rows().waits(JobStep.Update, "a1"));
    Job update =
        Collections.unmodifiableList(
                restartableRoom.client().claimable(List.of("host/PackageUpdate"), 10))
            .getFirst();
    String claim = restartableRoom.client().claim(update.getId(), "test").getClaim();
    try (Handle slow = restartableRoom.jdbi().open()) {
      slow.begin();
      GrantRow.lock(slow, update.getGrant());
      restartableRoom
          .jdbi()
          .useHandle(
              handle -> Wakeups.add(handle, WorkflowIds.batch(update.getGrant()), "for a test"));
      restartableRoom.until(() -> secondsBetweenTries() > ONE_TRY_SECONDS - 1);
      slow.rollback();
    }
    assertThat(restartableRoom.client().heartbeat(update.getId(), claim)).isPositive();
    restartableRoom
        .client()
        .complete(
            update.getId(), claim, new JobResult().setOutcome(JobOutcome.Done).setMessage("done"));
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("a1")).containsExactly("Cordon", "Drain", "Health", "Recover");
    assertThat(restartableRoom.rows().batch(update.getGrant()).run()).isEqualTo(1);
    assertThat(restartableRoom.rows().jobs(JobStep.Update, "a1"))
        .extracting(Row.Job::attempt)
        .containsExactly(1);
    assertThat(restartableRoom.rows().told("BatchReclaimed")).isEmpty();
  }

  /** Of what waits for a lock of this database: a second try is made after a time-out. */
  private double secondsBetweenTries() {
    return restartableRoom
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT COALESCE(extract(epoch FROM max(xact_start) - min(xact_start)), 0)
                        FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """)
                    .mapTo(Double.class)
                    .one());
  }
}
