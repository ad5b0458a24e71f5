package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A host in each phase, and then the process is gone: another one brings each to its end. Every
 * process dies by a signal, at named points, in the soak of crashes.
 */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class CrashTest {
  private static final Set<HostUpgradeState> UPDATED =
      EnumSet.of(HostUpgradeState.Upgraded, HostUpgradeState.Quarantined);

  private final Staging staging = new Staging();
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @Test
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.CRASH, end = "Skipped")
  @Shows(
      of = Phase.class,
      states = {"CORDON", "CONFIRM", "OPEN", "DRAIN", "UPDATE", "HEALTH", "RECOVER", "RECLAIM"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(
      of = Phase.class,
      states = {"BEFORE_UNDEPLOY", "AFTER_UNDEPLOY", "BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.CRASH, end = "Reverted")
  void anotherProcessGoesOn(TestInfo test) {
    Map<String, String> rollouts = brought(test);
    restartableRoom.stop();
    restartableRoom.start();
    allEnd(test, rollouts);
    rollouts.forEach(
        (phase, rollout) ->
            assertThat(restartableRoom.done(phase))
                .containsExactlyElementsOf(
                    once(phase, restartableRoom.host(rollout, phase).getState())));
  }

  /**
   * Its hosts are reclaimed: those not updated yet go back, and get another turn; those that are
   * and have hooks are left to people.
   */
  @Test
  @Tag("full")
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.CRASH, end = "Skipped")
  @Shows(
      of = Phase.class,
      states = {"CORDON", "CONFIRM", "OPEN", "DRAIN", "UPDATE", "HEALTH", "RECOVER"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(
      of = Phase.class,
      states = {"BEFORE_UNDEPLOY", "AFTER_UNDEPLOY"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(
      of = Phase.class,
      states = {"BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.CRASH,
      end = "Quarantined")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.CRASH, end = "Reverted")
  void anotherProcessGoesOnAlsoIfTemporalForgot(TestInfo test) {
    Map<String, String> rollouts = brought(test);
    List<String> runs = new ArrayList<>();
    rollouts.forEach(
        (host, rollout) -> {
          runs.add("batch/" + restartableRoom.host(rollout, host).getGrant());
          runs.add("rollout/" + rollout);
        });
    restartableRoom.stop();
    runs.forEach(restartableRoom::terminate);
    restartableRoom.start();
    allEnd(test, rollouts);
  }

  /** A host in each phase the test shows, with its rollout. */
  private Map<String, String> brought(TestInfo test) {
    restartableRoom.start().staged(staging);
    Map<String, String> rollouts = new TreeMap<>();
    for (Cell cell : Shown.by(test.getTestMethod().orElseThrow())) {
      rollouts.put(
          cell.state(), staging.bring(restartableRoom, Phase.valueOf(cell.state()), cell.state()));
    }
    return rollouts;
  }

  private void allEnd(TestInfo test, Map<String, String> rollouts) {
    for (Cell cell : Shown.by(test.getTestMethod().orElseThrow())) {
      String host = cell.state();
      String rollout = rollouts.getOrDefault(host, "");
      restartableRoom.ended(rollout);
      HostUpgrade last = restartableRoom.host(rollout, host);
      assertThat(last.getState())
          .as(host + " " + last.getReason())
          .isEqualTo(HostUpgradeState.valueOf(cell.end()));
      restartableRoom.until(() -> restartableRoom.grantState(last.getGrant()).equals("ended"));
      assertThat(restartableRoom.done(host).stream().filter("Update"::equals))
          .hasSize(UPDATED.contains(last.getState()) ? 1 : 0);
      if (last.getState() == HostUpgradeState.Quarantined) {
        assertThat(restartableRoom.locks(host))
            .extracting(LockRecord::kind)
            .containsExactly(LockRecord.Kind.QUARANTINE);
      } else {
        restartableRoom.until(() -> restartableRoom.locks(host).isEmpty());
      }
    }
  }

  private static List<String> once(String phase, HostUpgradeState end) {
    return switch (end) {
      case Upgraded ->
          phase.equals(Phase.RECLAIM.name())
              ? List.of("Cordon", "Drain", "Update", "Verify", "Health", "Recover")
              : Phase.valueOf(phase).ofHooks()
                  ? Staging.WITH_HOOKS
                  : List.of("Cordon", "Drain", "Update", "Health", "Recover");
      case Skipped -> List.of("Verify");
      case Reverted -> List.of("Cordon", "Drain", "Recover");
      case Pending, InProgress, Quarantined, Cancelled, $UNKNOWN -> List.of();
    };
  }
}
