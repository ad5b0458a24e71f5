package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
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
    List<String> seconds = new ArrayList<>();
    for (int times = 0; times < 8; times++) {
      seconds.add(held());
    }
    assertThat(seconds).containsExactly("5", "10", "20", "40", "80", "160", "300", "300");
  }

  @Test
  void grantsThatEndedAreNotCounted() {
    fleet.execute(
        """
        INSERT INTO grants (id, rollout, hosts, state, end_state, epoch, beat, evidence)
        SELECT 'old' || n, 'r', '{h1}', 'ended', 'Held', 0, 0, '{}' FROM generate_series(1, 5) n
        """);
    assertThat(held()).isEqualTo("5");
  }

  /** Holds the host once, and answers how many seconds it waits. */
  private String held() {
    String grant = fleet.grant("r", "h1");
    database
        .jdbi()
        .useTransaction(
            handle -> BatchHosts.backOff(handle, GrantRow.lock(handle, grant), "h1", "few up"));
    String seconds =
        fleet.value(
            "SELECT CAST(ceil(extract(epoch FROM not_before - clock_timestamp())) AS int)"
                + " FROM host_upgrades");
    fleet.execute("UPDATE host_upgrades SET not_before = NULL");
    fleet.execute("UPDATE grants SET state = 'ended', end_state = 'Held'");
    return seconds;
  }
}
