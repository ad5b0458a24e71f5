package dev.drydock.orchestrator.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.testkit.PreflightBench;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A whole rollout whose hosts are asked first, with the rounds of a server. */
@Tag("stack")
class AskedRolloutTest {
  @Test
  void asksEachHostBeforeAnythingElseAndGoesOnByItself() {
    try (RestartableRoom restartableRoom = new RestartableRoom(PreflightBench.TERMS)) {
      restartableRoom.start().holdBack(JobStep.Preflight, host -> host.equals("late"));
      String rollout = restartableRoom.submit("a", "late", "b");
      restartableRoom.until(
          () -> restartableRoom.host(rollout, "b").getState() == HostUpgradeState.Upgraded);
      assertThat(restartableRoom.host(rollout, "late").getState())
          .isEqualTo(HostUpgradeState.Pending);
      assertThat(restartableRoom.done("late")).isEmpty();
      restartableRoom.world().letGo(JobStep.Preflight);
      assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
      assertThat(restartableRoom.done("a"))
          .startsWith("Preflight", "Cordon", "Drain", "Update")
          .containsOnlyOnce("Preflight");
      assertThat(restartableRoom.done("late")).startsWith("Preflight", "Cordon");
    }
  }

  /** Its last host ends without a batch, and still the rollout does. */
  @Test
  void endsWhenItsLastHostIsRefused() {
    try (RestartableRoom restartableRoom = new RestartableRoom(PreflightBench.TERMS)) {
      restartableRoom.start().outcome(JobStep.Preflight, JobOutcome.Failed);
      String rollout = restartableRoom.submit("a");
      restartableRoom.until(
          () -> restartableRoom.host(rollout, "a").getReason().startsWith("not touched: "));
      assertThat(restartableRoom.host(rollout, "a").getState())
          .as("its consumer did not say what can mend it")
          .isEqualTo(HostUpgradeState.Pending);
      restartableRoom.world().refusing(true);
      restartableRoom.fleet().workAsIf.askedBefore(60);
      assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Degraded);
      assertThat(restartableRoom.done("a")).containsOnly("Preflight");
    }
  }
}
