package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.auditor.core.Finding;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * PostgreSQL is put back in the middle of a rollout to what it was before most of its hosts were
 * granted. What was begun on them since then they tell themselves, and nobody is left to people.
 */
@Tag("stack")
@Timeout(600)
class RestoreUntouchedTest {
  private static final List<String> HOSTS = List.of("u1", "u2", "u3", "u4", "u5");

  private final IsolatedInstallation isolatedInstallation = new IsolatedInstallation(false);

  @AfterEach
  void close() {
    isolatedInstallation.close();
  }

  /** One is only granted, one being drained, one drained and one updated. */
  @Test
  void hostsThatNobodyBeganToUpdateAreBroughtBackAndUpdatedOnce() {
    SimulatedConsumers simulatedConsumers = isolatedInstallation.start().holdBack(JobStep.Update);
    String rollout = isolatedInstallation.submit(HOSTS.toArray(String[]::new));
    isolatedInstallation.until(
        "the canary is drained", () -> isolatedInstallation.done("u1").contains("Drain"));
    isolatedInstallation.until(
        "rows know by what policies",
        () ->
            !isolatedInstallation
                .fleet()
                .value("SELECT acknowledged FROM store_beats")
                .equals("0"));
    isolatedInstallation.stop();
    String copy = isolatedInstallation.copyRows();
    simulatedConsumers = isolatedInstallation.start();
    simulatedConsumers
        .holdBack(JobStep.Cordon, "u2"::equals)
        .holdBack(JobStep.Drain, "u3"::equals)
        .holdBack(JobStep.Update, "u4"::equals)
        .holdBack(JobStep.Health, "u5"::equals);
    isolatedInstallation.until(
        "they are in every phase",
        () ->
            isolatedInstallation.done("u1").contains("Recover")
                && isolatedInstallation.locks().lockOn("u2").isPresent()
                && isolatedInstallation.done("u3").contains("Cordon")
                && isolatedInstallation.done("u4").contains("Drain")
                && isolatedInstallation.updates("u5") == 1);
    long generation = isolatedInstallation.locks().time().now().generation();
    isolatedInstallation.stop();
    isolatedInstallation.putRowsBack(copy, generation);
    isolatedInstallation.start();
    assertThat(isolatedInstallation.ended(rollout).hasEndedAt()).isTrue();
    assertThat(HOSTS)
        .allSatisfy(
            host -> {
              assertThat(isolatedInstallation.host(rollout, host).getState())
                  .as(isolatedInstallation.host(rollout, host).getReason())
                  .isIn(HostUpgradeState.Upgraded, HostUpgradeState.Skipped);
              assertThat(isolatedInstallation.updates(host)).as(host).isEqualTo(1);
            });
    for (String untouched : List.of("u2", "u3", "u4")) {
      assertThat(isolatedInstallation.done(untouched))
          .as("%s comes back before it is updated", untouched)
          .containsSubsequence("Verify", "Recover", "Update", "Health", "Recover");
    }
    assertThat(isolatedInstallation.audit(rollout))
        .filteredOn(found -> found.invariant().pauses())
        .extracting(Finding::violations)
        .allSatisfy(violations -> assertThat(violations).isEmpty());
  }
}
