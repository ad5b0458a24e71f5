package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A host in each phase without hooks, and each way out of it: one room on a real PostgreSQL and a
 * real Temporal for all of them, in which every host has a rollout of its own.
 */
@Tag("stack")
@Timeout(150)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class PhaseExitsTest {
  /** The host stands halfway when its run is lost, and does so once it is updated again. */
  private static final List<String> COMPLETED =
      List.of("Cordon", "Drain", "Update", "Verify", "Update", "Verify");

  private final Staging staging = new Staging();
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @BeforeAll
  void start() {
    restartableRoom.start().staged(staging);
  }

  @AfterAll
  void close() {
    restartableRoom.close();
  }

  /** What was done is undone, and only that; half an update is worse than a whole one. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"VERIFY", "CORDON", "CONFIRM", "OPEN", "DRAIN", "UPDATE"},
      exit = Exit.ABORT,
      end = "Cancelled")
  @Shows(
      of = Phase.class,
      states = {"HEALTH", "RECOVER", "RECLAIM"},
      exit = Exit.ABORT,
      end = "Upgraded")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.ABORT, end = "Reverted")
  void anAbort(Phase phase, HostUpgradeState end) {
    String host = "abort-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    restartableRoom.client().abortRollout(rollout, "wrong release");
    staging.letGo(host);
    ends(rollout, host, end);
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"VERIFY", "CORDON", "CONFIRM", "OPEN", "DRAIN"},
      exit = Exit.TIME_OUT,
      end = "Pending")
  @Shows(of = JobState.class, states = "Pending", exit = Exit.TIME_OUT, end = "Expired")
  void nobodyDoesItInTime(Phase phase, HostUpgradeState end) {
    String host = "late-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    int waited = jobs(host, JobState.Pending);
    assertThat(waited > 0).isEqualTo(Staging.step(phase).isPresent());
    Staging.tooLate(restartableRoom, host);
    ends(rollout, host, end);
    assertThat(jobs(host, JobState.Expired)).isGreaterThanOrEqualTo(waited);
  }

  /** Its time counts from the claim: the host needs it, and waits. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"UPDATE", "HEALTH", "RECOVER", "RECLAIM"},
      exit = Exit.TIME_OUT,
      end = "Upgraded")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.TIME_OUT, end = "Reverted")
  void nobodyClaimsItForLongAndItIsDoneOnceSomebodyDoes(Phase phase, HostUpgradeState end) {
    String host = "waits-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.tooLate(restartableRoom, host);
    assertThat(jobs(host, JobState.Pending)).isEqualTo(1);
    staging.letGo(host);
    ends(rollout, host, end);
    assertThat(jobs(host, JobState.Expired)).isZero();
  }

  /** It is shown by JobEndTest when the board gives up on them. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.TIME_OUT, end = "Pending")
  @Shows(
      of = Phase.class,
      states = {"CORDON", "DRAIN", "UPDATE", "HEALTH", "RECOVER", "UNDO", "RECLAIM"},
      exit = Exit.TIME_OUT,
      end = "Quarantined")
  void everybodyWhoHadItFellSilent(Phase phase, HostUpgradeState end) {
    String host = "silent-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.fellSilent(restartableRoom, host);
    ends(rollout, host, end);
  }

  /** A Verify that fails says that there is something to do. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.FAILURE, end = "Upgraded")
  @Shows(
      of = Phase.class,
      states = {"CONFIRM", "OPEN"},
      exit = Exit.FAILURE,
      end = "Pending")
  @Shows(
      of = Phase.class,
      states = {"CORDON", "DRAIN"},
      exit = Exit.FAILURE,
      end = "Reverted")
  @Shows(
      of = Phase.class,
      states = {"UPDATE", "HEALTH", "RECOVER", "UNDO", "RECLAIM"},
      exit = Exit.FAILURE,
      end = "Quarantined")
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.FAILURE, end = "Failed")
  void itFails(Phase phase, HostUpgradeState end) {
    fails(phase, "failed-" + phase, JobOutcome.Failed, end);
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.FAILURE, end = "Pending")
  @Shows(
      of = Phase.class,
      states = {"CORDON", "DRAIN", "UPDATE", "HEALTH", "RECOVER", "UNDO", "RECLAIM"},
      exit = Exit.FAILURE,
      end = "Quarantined")
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.FAILURE, end = "Unknown")
  void nobodyKnowsWhatItLeft(Phase phase, HostUpgradeState end) {
    fails(phase, "unknown-" + phase, JobOutcome.Unknown, end);
  }

  private void fails(Phase phase, String host, JobOutcome outcome, HostUpgradeState end) {
    staging.fails(phase, host, outcome);
    ends(into(phase, host), host, end);
    Staging.step(phase)
        .ifPresent(
            step ->
                assertThat(restartableRoom.rows().jobs(step, host).getFirst().state().name())
                    .isEqualTo(outcome.name()));
  }

  /** Who comes to the phase by itself is not kept in it. */
  private String into(Phase phase, String host) {
    if (phase == Phase.RECLAIM) {
      String rollout = staging.bring(restartableRoom, phase, host);
      staging.letGoOn(host);
      return rollout;
    }
    staging.prepare(restartableRoom, phase, host);
    return restartableRoom.submitAgain(host);
  }

  /** A host that goes back into the queue does so again and again, and is let go on here. */
  private void ends(String rollout, String host, HostUpgradeState end) {
    if (end == HostUpgradeState.Pending) {
      restartableRoom.until(
          () -> {
            HostUpgrade now = restartableRoom.host(rollout, host);
            return now.getState() == end
                && now.getReason()
                    .matches("too few up|no verdict .*|Verify: .*|(Cordon|Drain): no consumer .*");
          });
      staging.letGo(host);
      return;
    }
    restartableRoom.ended(rollout);
    HostUpgrade last = restartableRoom.host(rollout, host);
    assertThat(last.getState()).as(last.getReason()).isEqualTo(end);
    List<String> done = restartableRoom.done(host);
    assertThat(done)
        .as("nothing is done twice, but what completes half an update")
        .satisfiesAnyOf(
            all -> assertThat(all).doesNotHaveDuplicates(),
            all -> assertThat(all).isEqualTo(COMPLETED));
    assertThat(done.contains("Uncordon") && done.contains("Recover")).isFalse();
    if (end == HostUpgradeState.Quarantined) {
      assertThat(restartableRoom.locks(host))
          .extracting(LockRecord::kind)
          .containsExactly(LockRecord.Kind.QUARANTINE);
      return;
    }
    restartableRoom.until(() -> restartableRoom.locks(host).isEmpty());
    assertThat(done.contains("Cordon")).isEqualTo(broughtBack(done));
    assertThat(done.contains("Drain"))
        .as("drained and brought back")
        .isEqualTo(done.contains("Recover"));
  }

  private int jobs(String host, JobState state) {
    return (int)
        restartableRoom.rows().jobs().stream()
            .filter(job -> job.host().equals(host) && job.state() == state)
            .count();
  }

  private static boolean broughtBack(List<String> done) {
    return done.contains("Recover") || done.contains("Uncordon");
  }
}
