package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is known of a host's start when its FleetLock client asks. */
@Tag("stack")
class BootIdHistoryTest {
  private final TestDatabase database = TestDatabase.create();
  private final BootIdHistory bootIdHistory = BootIdHistory.in(database.jdbi());

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void eachPollRemembersTheBootIdWithTheNewestMarkAndWhetherItWasToldJustThen() {
    execute(
        """
        INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at, boot_id)
        VALUES ('h1', '10.0.0.1', 'static', 'default', 'static', clock_timestamp(), 'first')
        """);
    bootIdHistory.remember("h1", "fl-1");
    assertThat(row())
        .isEqualTo(Map.of("ticket", "fl-1", "boot_id", "first", "told", true, "mark", 0L));

    execute("INSERT INTO marks (source) VALUES ('static'), ('static')");
    execute("UPDATE hosts SET boot_told = false");
    bootIdHistory.remember("h1", "fl-2");
    assertThat(row())
        .isEqualTo(Map.of("ticket", "fl-2", "boot_id", "first", "told", false, "mark", 2L));
  }

  private void execute(String sql) {
    database.jdbi().useHandle(handle -> handle.execute(sql));
  }

  private Map<String, Object> row() {
    return database
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery("SELECT ticket, boot_id, told, mark FROM fleetlock_boots")
                    .mapToMap()
                    .one());
  }
}
