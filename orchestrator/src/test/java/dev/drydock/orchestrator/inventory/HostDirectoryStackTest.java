package dev.drydock.orchestrator.inventory;

import static dev.drydock.orchestrator.inventory.Reports.delta;
import static dev.drydock.orchestrator.inventory.Reports.full;
import static dev.drydock.orchestrator.inventory.Reports.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.Host;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What requests for hosts may name, looked up in the inventory: zones, FleetLock ids, boot ids. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class HostDirectoryStackTest {
  private static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));

  private final TestDatabase store = TestDatabase.create();
  private final MarkIssuer markIssuer = new MarkIssuer(store.jdbi());
  private final HostStore hostStore = new HostStore(store.jdbi());
  private final ReportIntake intake = new ReportIntake(store.jdbi(), new Metrics());

  @AfterAll
  void close() {
    store.close();
  }

  @BeforeEach
  void empty() {
    store
        .jdbi()
        .useHandle(h -> h.execute("TRUNCATE marks, sources, hosts, instances, audit CASCADE"));
  }

  @Test
  void aZoneStandsForItsHostsOfTheNamedApplications() {
    InventoryReport report = with(full("static", mark()), "h1", "h2", "h3", "h4");
    report.getInstances().forEach(instance -> instance.setZone("z1"));
    report.getInstances().add(ads("h1", "z1"));
    report.getInstances().add(ads("h4", "z2"));
    report(report);

    assertThat(in(List.of("z1"))).isEqualTo(Map.of("z1", List.of("h1", "h2", "h3", "h4")));
    assertThat(in(List.of("z1", "z2", "z9"), "ads"))
        .isEqualTo(Map.of("z1", List.of("h1"), "z2", List.of("h4")));
    assertThat(in(List.of("z1"), "db")).isEmpty();
    assertThat(in(List.of("z1' OR ''='", "\0"))).as("no name of a zone").isEmpty();
  }

  @Test
  void whatVanishedFromAZoneIsNotInIt() {
    report(with(full("static", mark()), "h1", "h2"));
    report(with(full("static", mark()), "h1"));
    assertThat(in(List.of("z-h1", "z-h2"))).isEqualTo(Map.of("z-h1", List.of("h1")));
  }

  @Test
  void anApplicationThatRunsOnNoneOfTheHostsIsNotOnThem() {
    InventoryReport report = with(full("static", mark()), "h1", "h2");
    report.getInstances().add(ads("h2", "z1"));
    report(report);

    assertThat(hostStore.notOn(List.of("h1", "h2"), List.of("web", "ads"))).isEmpty();
    assertThat(hostStore.notOn(List.of("h1"), List.of("web", "ads", "\0")))
        .containsExactly("\0", "ads");
    report(with(full("static", mark()), "h1", "h2"));
    assertThat(hostStore.notOn(List.of("h2"), List.of("ads")))
        .as("vanished")
        .containsExactly("ads");
  }

  @Test
  void aFleetLockIdIsAHostsNameOrElseTheLabelOfOneHost() {
    InventoryReport report = with(full("static", mark()), "h1", "h2", "h3", "h4", "h5", "h6");
    label(report, 0, "machine-1");
    label(report, 1, "h3");
    label(report, 2, "elsewhere");
    for (int twice = 3; twice < 6; twice++) {
      label(report, twice, "twice");
    }
    report(report);

    assertThat(hostStore.hostsOfFleetLock("machine-1")).containsExactly("h1");
    assertThat(hostStore.hostsOfFleetLock("h3")).as("a name comes first").containsExactly("h3");
    assertThat(hostStore.hostsOfFleetLock("twice")).containsExactly("h4", "h5", "h6");
    assertThat(hostStore.hostsOfFleetLock("nobody")).isEmpty();
  }

  /** The name it had has vanished, and its label is on both. */
  @Test
  void aMachineThatWasRenamedIsTheOneItIsNow() {
    InventoryReport before = with(full("static", mark()), "old-name", "m2");
    label(before, 0, "m1");
    report(before);
    InventoryReport after = with(full("static", mark()), "new-name", "another");
    label(after, 0, "m1");
    label(after, 1, "m2");
    report(after);
    assertThat(hostStore.hostsOfFleetLock("m1")).containsExactly("new-name");
    assertThat(hostStore.hostsOfFleetLock("m2"))
        .as("also where the id was its name")
        .containsExactly("another");
    report(with(full("static", mark()), "third"));
    assertThat(hostStore.hostsOfFleetLock("m2")).as("none is left").containsExactly("m2");
  }

  @Test
  void aBootIdIsKeptUntilAnotherIsSeen() {
    report(with(full("static", mark()), "h1"));
    assertThat(stored("h1").hasBootId()).isFalse();
    booted("first");
    assertThat(stored("h1").getBootId()).isEqualTo("first");
    report(with(delta("static", mark()), "h1"));
    assertThat(stored("h1").getBootId()).as("none of its instances answered").isEqualTo("first");
    booted("second");
    assertThat(stored("h1").getBootId()).isEqualTo("second");

    ApiException refused = catchThrowableOfType(ApiException.class, () -> booted("two words"));
    assertThat(refused.details().getFirst().getPath()).isEqualTo("hosts[0].bootId");
  }

  @Test
  void itIsKnownFromWhichReportsABootIdIs() {
    report(with(full("static", mark()), "h1"));
    assertThat(boot()).isEqualTo(new Boot(0, 0, 0, false));
    long first = booted("first");
    assertThat(boot()).isEqualTo(new Boot(first, first, 0, true));
    long again = booted("first");
    assertThat(boot()).isEqualTo(new Boot(first, again, 0, true));
    report(with(delta("static", mark()), "h1"));
    assertThat(boot()).as("it is down").isEqualTo(new Boot(first, again, 0, false));
    long second = booted("second");
    assertThat(boot()).isEqualTo(new Boot(second, second, again, true));
    report(with(delta("static", mark()), "h2"));
    assertThat(boot()).as("of another host").isEqualTo(new Boot(second, second, again, true));
  }

  private record Boot(long first, long last, long before, boolean told) {}

  private Boot boot() {
    return store
        .jdbi()
        .withHandle(
            h ->
                h.createQuery(
                        """
                        SELECT boot_first, boot_last, boot_before, boot_told FROM hosts
                        WHERE name = 'h1'
                        """)
                    .map(
                        (row, _) ->
                            new Boot(
                                row.getLong(1), row.getLong(2), row.getLong(3), row.getBoolean(4)))
                    .one());
  }

  private long booted(String bootId) {
    long mark = mark();
    InventoryReport report = with(delta("static", mark), "h1");
    report.getHosts().getFirst().setBootId(bootId);
    report(report);
    return mark;
  }

  private Host stored(String host) {
    return hostStore.find(List.of(host), FieldMask.all()).values().iterator().next();
  }

  private Map<String, List<String>> in(List<String> zones, String... applications) {
    return hostStore.hostsIn(zones, List.of(applications));
  }

  private static InstanceReport ads(String host, String zone) {
    return Reports.web(host).setId("ads@" + host).setApplication("ads").setZone(zone);
  }

  private static void label(InventoryReport report, int host, String id) {
    report.getHosts().get(host).setLabels(new StringMap(Map.of("fleetlock-id", id)));
  }

  private long mark() {
    return markIssuer.issue("static");
  }

  private void report(InventoryReport report) {
    assertThat(intake.accept(ADAPTER, report).isAccepted()).isTrue();
  }
}
