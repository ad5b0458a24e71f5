package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.auditor.core.Finding;
import dev.drydock.orchestrator.testkit.World;
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

  private final Island island = new Island(false);

  @AfterEach
  void close() {
    island.close();
  }

  /** One is only granted, one being drained, one drained and one updated. */
  @Test
  void hostsThatNobodyBeganToUpdateAreBroughtBackAndUpdatedOnce() {
    World world = island.start().holdBack(JobStep.Update);
    String rollout = island.submit(HOSTS.toArray(String[]::new));
    island.until("the canary is drained", () -> island.done("u1").contains("Drain"));
    island.until(
        "rows know by what policies",
        () -> !island.fleet().value("SELECT acknowledged FROM store_beats").equals("0"));
    island.stop();
    String copy = island.copyRows();
    world = island.start();
    world
        .holdBack(JobStep.Freeze, "u2"::equals)
        .holdBack(JobStep.Drain, "u3"::equals)
        .holdBack(JobStep.Update, "u4"::equals)
        .holdBack(JobStep.Health, "u5"::equals);
    island.until(
        "they are in every phase",
        () ->
            island.done("u1").contains("Recover")
                && island.locks().lockOn("u2").isPresent()
                && island.done("u3").contains("Freeze")
                && island.done("u4").contains("Drain")
                && island.updates("u5") == 1);
    long generation = island.locks().time().now().generation();
    island.stop();
    island.putRowsBack(copy, generation);
    island.start();
    assertThat(island.ended(rollout).hasEndedAt()).isTrue();
    assertThat(HOSTS)
        .allSatisfy(
            host -> {
              assertThat(island.host(rollout, host).getState())
                  .as(island.host(rollout, host).getReason())
                  .isIn(HostUpgradeState.Upgraded, HostUpgradeState.Skipped);
              assertThat(island.updates(host)).as(host).isEqualTo(1);
            });
    for (String untouched : List.of("u2", "u3", "u4")) {
      assertThat(island.done(untouched))
          .as("%s comes back before it is updated", untouched)
          .containsSubsequence("Verify", "Recover", "Update", "Health", "Recover");
    }
    assertThat(island.audit(rollout))
        .filteredOn(found -> found.invariant().pauses())
        .extracting(Finding::violations)
        .allSatisfy(violations -> assertThat(violations).isEmpty());
  }
}
