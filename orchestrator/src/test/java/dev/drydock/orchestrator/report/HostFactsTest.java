package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which reading stands after retries, on a real PostgreSQL. */
@Tag("stack")
class HostFactsTest {
  private static TestDatabase database;
  private static Fleet fleet;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void theFirstReadingBeforeAndTheLastAfterStand() {
    assertThat(readings("retried", new HostFacts())).isEqualTo("before=1.0 after=3.0");
  }

  /** The control of the test above: facts that are merged like others lose the true before. */
  @Test
  void factsMergedLikeOthersWouldLoseTheBefore() {
    HostFacts merging =
        new HostFacts() {
          @Override
          boolean lastStands(Moment moment) {
            return true;
          }
        };
    assertThat(readings("merged", merging)).isEqualTo("before=2.0 after=3.0");
  }

  /** An update, its retry, which reads what the first one left, and two health checks. */
  private static String readings(String host, HostFacts facts) {
    fleet.host(host);
    fleet.rollout("r-" + host, host);
    keep(facts, host, Map.of("packagesBefore", "web 1.0\n", "kernelBefore", "6.1"));
    keep(facts, host, Map.of("packagesBefore", "web 2.0\n", "kernelBefore", "6.2"));
    keep(facts, host, Map.of("packagesAfter", "web 2.0\n", "kernel", "6.2"));
    keep(facts, host, Map.of("packagesAfter", "web 3.0\n", "kernel", "6.3"));
    return fleet.value(
        """
        SELECT string_agg(moment || '=' || (l.packages->>'web'), ' ' ORDER BY moment DESC)
        FROM host_facts f JOIN package_lists l ON l.digest = f.packages WHERE host = '%s'
        """
            .formatted(host));
  }

  @Test
  void hostsWithTheSamePackagesShareOneList() {
    for (String host : new String[] {"twin1", "twin2"}) {
      fleet.host(host);
      fleet.rollout("r-" + host, host);
      keep(new HostFacts(), host, Map.of("packagesBefore", "shared 1\ntwins 2\n"));
    }
    assertThat(fleet.value("SELECT count(*) FROM package_lists WHERE packages->>'twins' = '2'"))
        .isEqualTo("1");
  }

  @Test
  void keepsWhatIsWrongWithFactsInsteadOfFailing() {
    assertThat(fault("faulty", Map.of("packagesBefore", "web\n", "kernelBefore", "6.1")))
        .isEqualTo("its package list line 1 is not NAME VERSION");
    assertThat(fault("kernel", Map.of("packagesBefore", "web 1\n")))
        .isEqualTo("its running kernel was not told");
    assertThat(
            fault(
                "apk",
                Map.of("packagesBefore", "web 1\n", "kernelBefore", "6.1", "osFamily", "apk")))
        .isEqualTo("its package family apk is not known");
    assertThat(
            fault(
                "sound",
                Map.of("packagesBefore", "web 1\n", "kernelBefore", "6.1", "osFamily", "dnf")))
        .isEmpty();
  }

  private static String fault(String host, Map<String, String> facts) {
    fleet.host(host);
    fleet.rollout("r-" + host, host);
    keep(new HostFacts(), host, facts);
    return fleet.value("SELECT fault FROM host_facts WHERE host = '" + host + "'");
  }

  @Test
  void factsOfAResultAreSmallWithoutTheLists() {
    Map<String, String> facts = new HashMap<>(Map.of("kernel", "6.1"));
    assertThat(HostFacts.small(facts)).isEqualTo(facts);
    facts.put("packagesBefore", "web 1.0\n".repeat(1000));
    assertThat(HostFacts.small(facts).get("packagesBefore")).matches("sha256:[0-9a-f]{64}");
    assertThat(HostFacts.small(facts)).containsEntry("kernel", "6.1");
  }

  private static void keep(HostFacts facts, String host, Map<String, String> told) {
    database.jdbi().useTransaction(handle -> facts.keep(handle, "r-" + host, host, told));
  }
}
