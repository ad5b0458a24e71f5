package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.testkit.Harbour;
import java.util.List;
import java.util.Map;
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
  private final Staging staging = new Staging();
  private final Harbour harbour = new Harbour();

  @AfterEach
  void close() {
    harbour.close();
  }

  @Test
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.CRASH, end = "Skipped")
  @Shows(
      of = Phase.class,
      states = {"FREEZE", "CONFIRM", "OPEN", "DRAIN", "UPDATE", "HEALTH", "RECOVER"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.CRASH, end = "Reverted")
  void anotherProcessGoesOn(TestInfo test) {
    Map<String, String> rollouts = brought(test);
    harbour.stop();
    harbour.start();
    allEnd(test, rollouts);
  }

  @Test
  @Shows(of = Phase.class, states = "VERIFY", exit = Exit.CRASH, end = "Skipped")
  @Shows(
      of = Phase.class,
      states = {"FREEZE", "CONFIRM", "OPEN", "DRAIN", "UPDATE", "HEALTH", "RECOVER"},
      exit = Exit.CRASH,
      end = "Upgraded")
  @Shows(of = Phase.class, states = "UNDO", exit = Exit.CRASH, end = "Reverted")
  void anotherProcessGoesOnAlsoIfTemporalForgot(TestInfo test) {
    Map<String, String> rollouts = brought(test);
    rollouts.forEach(
        (host, rollout) -> harbour.terminate("batch/" + harbour.host(rollout, host).getGrant()));
    rollouts.values().forEach(rollout -> harbour.terminate("rollout/" + rollout));
    harbour.stop();
    harbour.start();
    allEnd(test, rollouts);
  }

  /** A host in each phase the test shows, with its rollout. */
  private Map<String, String> brought(TestInfo test) {
    harbour.start().staged(staging);
    Map<String, String> rollouts = new TreeMap<>();
    for (Cell cell : Shown.by(test.getTestMethod().orElseThrow())) {
      rollouts.put(cell.state(), staging.bring(harbour, Phase.valueOf(cell.state()), cell.state()));
    }
    return rollouts;
  }

  private void allEnd(TestInfo test, Map<String, String> rollouts) {
    for (Cell cell : Shown.by(test.getTestMethod().orElseThrow())) {
      String host = cell.state();
      String rollout = rollouts.getOrDefault(host, "");
      harbour.ended(rollout);
      HostUpgrade last = harbour.host(rollout, host);
      assertThat(last.getState())
          .as(host + " " + last.getReason())
          .isEqualTo(HostUpgradeState.valueOf(cell.end()));
      assertThat(harbour.done(host)).containsExactlyElementsOf(once(last.getState()));
      harbour.until(() -> harbour.locks(host).isEmpty());
    }
  }

  private static List<String> once(HostUpgradeState end) {
    return switch (end) {
      case Upgraded -> List.of("Freeze", "Drain", "Update", "Health", "Recover");
      case Skipped -> List.of("Verify");
      case Reverted -> List.of("Freeze", "Drain", "Recover");
      case Pending, InProgress, Quarantined, Cancelled, $UNKNOWN -> List.of();
    };
  }
}
