package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutRequest;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** A rollout in each state that is not its last, and the ways out that no other test shows. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class RolloutExitsTest {
  private static final long HOUR = 3_600_000;

  private final Staging staging = new Staging();
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = RolloutState.class,
      states = {"Scheduled", "Running", "Paused", "Aborting"},
      exit = Exit.ABORT,
      end = "Aborted")
  void anAbort(RolloutState state, RolloutState end) {
    String rollout = begin(state, Phase.DRAIN, "a");
    restartableRoom.client().abortRollout(rollout, "wrong release");
    staging.letGo("a");
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getState()).isEqualTo(end);
    assertThat(ended.getCancelled()).isEqualTo(ended.getHostCount());
    restartableRoom.until(() -> restartableRoom.locks("a").isEmpty());
  }

  /** It is still what it was, and people end it. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = RolloutState.class, states = "Scheduled", exit = Exit.CRASH, end = "Scheduled")
  @Shows(of = RolloutState.class, states = "Paused", exit = Exit.CRASH, end = "Paused")
  void anotherProcessFindsIt(RolloutState state, RolloutState end) {
    String rollout = begin(state, Phase.UPDATE, "c");
    restartableRoom.stop();
    restartableRoom.start();
    assertThat(restartableRoom.client().rollout(rollout).getState()).isEqualTo(end);
    restartableRoom.fleet().asIf.theirTimeHasCome();
    restartableRoom.client().resumeRollout(rollout, "go on");
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(ended.getUpgraded()).isEqualTo(ended.getHostCount());
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = RolloutState.class, states = "Paused", exit = Exit.FAILURE, end = "Degraded")
  @Shows(of = RolloutState.class, states = "Aborting", exit = Exit.FAILURE, end = "Aborted")
  void aHostInProgressFails(RolloutState state, RolloutState end) {
    staging.fails(Phase.HEALTH, "f", JobOutcome.Failed);
    String rollout = begin(state, Phase.HEALTH, "f");
    staging.letGo("f");
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getState()).isEqualTo(end);
    assertThat(restartableRoom.host(rollout, "f").getState())
        .isEqualTo(HostUpgradeState.Quarantined);
  }

  /** A rollout in that state, with one host that is kept in the phase where it has begun. */
  private String begin(RolloutState state, Phase phase, String host) {
    restartableRoom.start().staged(staging);
    if (state == RolloutState.Scheduled) {
      restartableRoom.fleet().host(host);
      return restartableRoom
          .client()
          .startRollout(
              new RolloutRequest()
                  .setRelease("2")
                  .setHosts(new StringArray(host))
                  .setStartAt(System.currentTimeMillis() + HOUR));
    }
    String rollout = staging.bring(restartableRoom, phase, host);
    if (state == RolloutState.Paused) {
      restartableRoom.client().pauseRollout(rollout, "look at it");
    } else if (state == RolloutState.Aborting) {
      restartableRoom.client().abortRollout(rollout, "once already");
    }
    assertThat(restartableRoom.client().rollout(rollout).getState()).isEqualTo(state);
    return rollout;
  }
}
