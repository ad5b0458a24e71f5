package dev.drydock.orchestrator.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.PreflightBench;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A whole rollout whose hosts are asked first, with the rounds of a server. */
@Tag("stack")
class AskedRolloutTest {
  @Test
  void asksEachHostBeforeAnythingElseAndGoesOnByItself() {
    try (Harbour harbour = new Harbour(PreflightBench.TERMS)) {
      harbour.start().holdBack(JobStep.Preflight, host -> host.equals("late"));
      String rollout = harbour.submit("a", "late", "b");
      harbour.until(() -> harbour.host(rollout, "b").getState() == HostUpgradeState.Upgraded);
      assertThat(harbour.host(rollout, "late").getState()).isEqualTo(HostUpgradeState.Pending);
      assertThat(harbour.done("late")).isEmpty();
      harbour.world().letGo(JobStep.Preflight);
      assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
      assertThat(harbour.done("a"))
          .startsWith("Preflight", "Freeze", "Drain", "Update")
          .containsOnlyOnce("Preflight");
      assertThat(harbour.done("late")).startsWith("Preflight", "Freeze");
    }
  }

  /** Its last host ends without a batch, and still the rollout does. */
  @Test
  void endsWhenItsLastHostIsRefused() {
    try (Harbour harbour = new Harbour(PreflightBench.TERMS)) {
      harbour.start().outcome(JobStep.Preflight, JobOutcome.Failed);
      String rollout = harbour.submit("a");
      harbour.until(() -> harbour.host(rollout, "a").getReason().startsWith("not touched: "));
      assertThat(harbour.host(rollout, "a").getState())
          .as("its consumer did not say what can mend it")
          .isEqualTo(HostUpgradeState.Pending);
      harbour.world().refusing(true);
      harbour.fleet().asIf.askedBefore(60);
      assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Degraded);
      assertThat(harbour.done("a")).containsOnly("Preflight");
    }
  }
}
