package dev.drydock.orchestrator.inventory;

import static dev.drydock.orchestrator.inventory.Reports.delta;
import static dev.drydock.orchestrator.inventory.Reports.full;
import static dev.drydock.orchestrator.inventory.Reports.web;
import static dev.drydock.orchestrator.inventory.Reports.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.HealthState;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What is written down of observations: all that changed, and nothing of what did not. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class ObservationLogStackTest {
  private static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));
  private static final String TOLD =
      "SELECT health || CASE WHEN vanished THEN ' gone' ELSE '' END FROM observed_instances"
          + " WHERE instance = 'web@h1' ORDER BY id";

  private final TestDatabase store = TestDatabase.create();
  private final MarkIssuer markIssuer = new MarkIssuer(store.jdbi());
  private final ReportIntake intake = new ReportIntake(store.jdbi(), new Metrics());
  private final ObservationLog log = new ObservationLog(store.jdbi());

  @AfterAll
  void close() {
    store.close();
  }

  @BeforeEach
  void empty() {
    execute(
        "TRUNCATE marks, sources, hosts, instances, observed_reports, observed_instances, observed_hosts"
            + " CASCADE");
  }

  private void execute(String sql) {
    store.jdbi().useHandle(handle -> handle.execute(sql));
  }

  private List<String> read(String sql) {
    return store.jdbi().withHandle(handle -> handle.createQuery(sql).mapTo(String.class).list());
  }

  private void report(InventoryReport report) {
    assertThat(intake.accept(ADAPTER, report).isAccepted()).isTrue();
  }

  private InventoryReport said(HealthState health) {
    InventoryReport report = with(full("static", markIssuer.issue("static")), "h1", "h2");
    report.getInstances().getFirst().setHealth(health);
    return report;
  }

  @Test
  void aFullReportThatSaysNothingNewIsOneRow() {
    for (int i = 0; i < 3; i++) {
      report(said(HealthState.Healthy));
    }
    assertThat(read("SELECT count(*) FROM observed_instances")).containsExactly("2");
    assertThat(read("SELECT count(*) FROM observed_hosts")).containsExactly("2");
    assertThat(
            read(
                "SELECT (mark = m.last_mark)::text FROM observed_reports, sources m"
                    + " WHERE instances IS NULL ORDER BY id"))
        .containsExactly("false", "false", "true");
  }

  @Test
  void everyChangeIsARow() {
    report(said(HealthState.Healthy));
    report(said(HealthState.Unhealthy));
    report(with(full("static", markIssuer.issue("static")), "h2"));
    report(said(HealthState.Healthy));
    assertThat(read(TOLD)).containsExactly("Healthy", "Unhealthy", "Unhealthy gone", "Healthy");
    InventoryReport moved = delta("static", markIssuer.issue("static"));
    moved.getInstances().add(web("h1").setZone("elsewhere").setCapacity(7));
    report(moved);
    assertThat(
            read("SELECT zone || ' ' || capacity FROM observed_instances ORDER BY id DESC LIMIT 1"))
        .containsExactly("elsewhere 7");
    assertThat(
            read(
                "SELECT array_to_string(instances, ',') FROM observed_reports ORDER BY id DESC LIMIT 1"))
        .as("one that is not full names what it confirms")
        .containsExactly("web@h1");
    assertThat(read("SELECT (observed_at <= at)::text || (mark > 0)::text FROM observed_instances"))
        .containsOnly("truetrue");
  }

  @Test
  void theMarkOfAnEffectIsARow() {
    report(said(HealthState.Healthy));
    execute("UPDATE hosts SET effect_mark = 77 WHERE name = 'h1'");
    execute("UPDATE hosts SET observed_at = clock_timestamp() WHERE name = 'h1'");
    assertThat(read("SELECT effect_mark FROM observed_hosts WHERE host = 'h1' ORDER BY id"))
        .containsExactly("0", "77");
  }

  @Test
  void nothingOfItIsEverChanged() {
    report(said(HealthState.Healthy));
    for (String table : List.of("observed_reports", "observed_instances", "observed_hosts")) {
      assertThatThrownBy(() -> execute("UPDATE " + table + " SET id = DEFAULT"))
          .hasMessageContaining("rows of " + table + " are never changed");
    }
  }

  @Test
  void whatIsOldIsForgottenButForHowThingsWereThen() {
    report(said(HealthState.Healthy));
    report(said(HealthState.Unhealthy));
    report(said(HealthState.Healthy));
    execute("UPDATE observations_kept SET since = clock_timestamp() - interval '1 hour'");
    assertThat(log.prune(Duration.ofDays(7))).isZero();
    String before = read("SELECT since FROM observations_kept").getFirst();
    assertThat(log.prune(Duration.ZERO)).isEqualTo(3 + 2);
    assertThat(read(TOLD)).containsExactly("Healthy");
    assertThat(read("SELECT instance FROM observed_instances ORDER BY instance"))
        .containsExactly("web@h1", "web@h2");
    assertThat(
            read(
                "SELECT (since > CAST('"
                    + before
                    + "' AS timestamptz))::text FROM observations_kept"))
        .containsExactly("true");
  }
}
