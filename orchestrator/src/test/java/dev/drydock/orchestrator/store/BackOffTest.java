package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
final class BackOffTest {
  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void begin() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.host("h1");
    fleet.rollout("r", "h1");
  }

  @AfterEach
  void end() {
    database.close();
  }

  @Test
  void aHostWaitsTwiceAsLongEachTimeItIsHeldAndAtMostFiveMinutes() {
    List<Long> seconds = new ArrayList<>();
    for (int times = 0; times < 8; times++) {
      seconds.add(held());
    }
    assertThat(seconds).containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  void grantsThatEndedAreNotCounted() {
    fleet.asIf.hadBatches(5, "r", "h1");
    assertThat(held()).isEqualTo(5);
  }

  /** Holds the host once, and answers how many seconds it waits. */
  private long held() {
    String grant = fleet.grant("r", "h1");
    database
        .jdbi()
        .useTransaction(
            handle -> BatchHosts.backOff(handle, GrantRow.lock(handle, grant), "h1", "few up"));
    Duration waits =
        Duration.between(Instant.now(), fleet.rows.host("h1").notBefore().orElseThrow());
    fleet.asIf.backOffOver();
    fleet.asIf.batchHeld(grant);
    return waits.plusMillis(999).toSeconds();
  }
}
