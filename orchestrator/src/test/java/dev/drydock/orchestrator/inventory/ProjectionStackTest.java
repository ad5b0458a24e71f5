package dev.drydock.orchestrator.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.api.HostUpgradesResource;
import dev.drydock.orchestrator.api.RolloutsResource;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.testkit.FakeZones;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.StatementLog;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.platform.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code fields=} does not name is not read: PostgreSQL's own log says what was. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class ProjectionStackTest {
  private static final LockTable NO_LOCKS =
      new LockTable(1, Map.of(), List.of(), Map.of(), Set.of());

  private final TestDatabase store = TestDatabase.createLogged();
  private final AtomicInteger locksRead = new AtomicInteger();
  private final InventoryService inventoryService =
      new InventoryService(
          store.database(),
          new Metrics(),
          () -> {
            locksRead.incrementAndGet();
            return NO_LOCKS;
          });
  private final RolloutIntake intake =
      new RolloutIntake(store.jdbi(), PolicyCoverage.WHOLE, Planning::alone, rollout -> {});
  private final RolloutStore rollouts = new RolloutStore(store.jdbi());
  private final TestApi api =
      TestApi.start(
          Resources.join(
              List.of(
                  inventoryService.resources(),
                  Resources.of(
                      HostUpgradesResource.class, () -> new HostUpgradesResource(rollouts)),
                  Resources.of(
                      RolloutsResource.class,
                      () ->
                          new RolloutsResource(
                              intake,
                              rollouts,
                              new ReportStore(store.jdbi()),
                              RolloutsResource.Controls.of(
                                  store.jdbi(),
                                  intake,
                                  new FakeZones(),
                                  BatchAdvancer.NOTHING))))));
  private final StatementLog log = store.log();

  @BeforeAll
  void fill() {
    store
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    """
                    INSERT INTO hosts (name, address, scheduler, hardware_class, labels, source, observed_at)
                    SELECT 'h' || n, '10.0.0.' || n, 'static', 'default', '{"rack": "r1"}', 's', now()
                    FROM generate_series(1, 9) n;
                    INSERT INTO instances (id, application, host, zone, health, source, mark, observed_at)
                    SELECT 'web@' || name, 'web', name, 'z1', 'Healthy', 's', 1, now() FROM hosts;
                    INSERT INTO releases (name, spec, created_by)
                    VALUES ('2', '{"name": "2", "channel": "http://c", "packages": {"a": "1"}, "kernel": "k"}', 'sre');
                    """));
    Fleet fleet = new Fleet(store.jdbi());
    List<String> steps = List.of("", "Open", "Drain", "Update", "Health", "Recover", "End", "");
    fleet.rollout("r1", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8");
    for (int i = 0; i < steps.size(); i++) {
      if (!steps.get(i).isEmpty()) {
        fleet.asIf.at(steps.get(i), "h" + (i + 1));
      }
    }
    fleet.asIf.are(HostUpgradeState.InProgress, "h1", "h2", "h3", "h4", "h5", "h6");
    fleet.asIf.are(HostUpgradeState.Upgraded, "h7");
    fleet.asIf.tells("h1", "{\"kernel\": \"k\"}");
  }

  @AfterAll
  void close() {
    api.close();
    inventoryService.close();
    store.close();
  }

  /** What the server executed for one call. */
  private String executed(String path) {
    log.statements();
    Answer answer = api.call("viewer", "GET", "/api/" + path, "");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return String.join("\n", log.statements());
  }

  @Test
  void hostsByNameAndPhaseReadNothingElse() {
    int before = locksRead.get();
    assertThat(executed("hosts?fields=name,phase").lines())
        .satisfiesExactly(
            read ->
                assertThat(read)
                    .startsWith("SELECT h.name, (SELECT CASE WHEN s.step IN")
                    .contains(") FROM hosts h ORDER BY h.name LIMIT")
                    .doesNotContain("address", "labels", "observed_at", "instances"),
            count -> assertThat(count).isEqualTo("SELECT count(*) FROM hosts h"));
    assertThat(locksRead).as("etcd is not asked").hasValue(before);
    assertThat(executed("hosts/h1?fields=name"))
        .isEqualTo("SELECT h.name FROM hosts h WHERE (h.name = ANY ($1)) ORDER BY h.name");
  }

  /** The control: without fields= the same log shows all of it. */
  @Test
  void wholeHostsReadEverything() {
    int before = locksRead.get();
    assertThat(executed("hosts"))
        .contains("h.address", "h.labels", "h.observed_at", "u.step", "FROM instances i")
        .contains("i.detail");
    assertThat(locksRead).hasValue(before + 1);
  }

  @Test
  void ofTheInstancesOnlyWhatIsAskedForIsRead() {
    assertThat(executed("hosts?fields=name,instances:($*:(id,health))"))
        .contains("SELECT i.id, i.host, i.health FROM instances i")
        .doesNotContain("i.detail", "i.zone");
    assertThat(api.call("viewer", "GET", "/api/hosts/h1?fields=instances:($*:(id))", "").body())
        .isEqualTo("{\"instances\":[{\"id\":\"web@h1\"}]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "releases?fields=name                           | SELECT r.name FROM releases r                  | spec",
        "releases/2?fields=kernel                       | SELECT r.spec->>'kernel' FROM releases r       | created",
        "rollouts?fields=id,state                       | SELECT r.id, r.state FROM                      | host_upgrades",
        "rollouts/r1?fields=state                       | SELECT r.state FROM                            | host_upgrades",
        "hostUpgrades?q=rollout&rollout=r1&fields=host  | SELECT u.host FROM                             | facts",
      })
  void otherResourcesReadWhatIsAskedForToo(String path, String read, String notRead) {
    assertThat(executed(path)).contains(read).doesNotContain(notRead);
    assertThat(executed(path.replaceAll("[?&]fields=.*", ""))).contains(notRead);
  }

  @Test
  void everyStepHasItsPhase() {
    assertThat(api.call("viewer", "GET", "/api/hosts?fields=name,phase", "").body())
        .contains(
            "{\"phase\":\"Drain\",\"name\":\"h1\"}",
            "{\"phase\":\"Drain\",\"name\":\"h2\"}",
            "{\"phase\":\"Drain\",\"name\":\"h3\"}",
            "{\"phase\":\"Upgrade\",\"name\":\"h4\"}",
            "{\"phase\":\"Upgrade\",\"name\":\"h5\"}",
            "{\"phase\":\"Recover\",\"name\":\"h6\"}",
            "{\"name\":\"h7\"}",
            "{\"name\":\"h8\"}");
  }

  @Test
  void aFieldThatDoesNotExistIsNamed() {
    for (String path :
        List.of("hosts?fields=nmae", "hosts/h1?fields=nmae", "hosts?ids=List(h1)&fields=nmae")) {
      Answer answer = api.call("viewer", "GET", "/api/" + path, "");
      assertThat(answer.status()).as(answer.body()).isEqualTo(400);
      assertThat(answer.body()).contains("nmae");
    }
  }

  @Test
  void pagesHaveTotalLinksAndLimits() {
    assertThat(api.call("viewer", "GET", "/api/hosts?start=2&count=3&fields=name", "").body())
        .contains(
            "\"total\":9", "\"start\":2", "h3", "h4", "h5", "\"rel\":\"next\"", "\"rel\":\"prev\"")
        .doesNotContain("h6", "h2");
    assertThat(api.call("viewer", "GET", "/api/hosts?start=8&count=3&fields=name", "").body())
        .contains("h9")
        .doesNotContain("\"rel\":\"next\"");
    assertThat(api.call("viewer", "GET", "/api/hosts?count=10000&fields=name", "").status())
        .isEqualTo(200);
    assertThat(api.call("viewer", "GET", "/api/hosts?count=0", "").body()).contains("\"total\":9");
  }

  @ParameterizedTest
  @CsvSource({
    "hosts?count=10001, count is 10001",
    "hostUpgrades?q=rollout&rollout=r1&count=10001, count is 10001",
    "releases?count=1001, must be at most 1000",
    "hosts?start=-1, start",
    "hosts?count=-1, count",
    "hosts?count=many, count",
    "hosts?start=9999999999, start",
  })
  void badPagingIsRefused(String path, String named) {
    Answer answer = api.call("viewer", "GET", "/api/" + path, "");
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains(named);
  }
}
