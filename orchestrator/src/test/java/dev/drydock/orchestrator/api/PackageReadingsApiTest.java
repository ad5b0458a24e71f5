package dev.drydock.orchestrator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.packages.PackageWatch;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What host operators are offered and send, over real HTTP. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class PackageReadingsApiTest {
  private static final LockTable NO_LOCKS =
      new LockTable(1, Map.of(), List.of(), Map.of(), Set.of());
  private static final String DUE = "/api/packageReadings?q=due&seconds=0&count=5";
  private static final String REPORT = "/api/packageReadings?action=report";

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final TestApi api =
      TestApi.start(
          Resources.of(
              PackageReadingsResource.class,
              () -> new PackageReadingsResource(new PackageWatch(database.jdbi(), () -> NO_LOCKS))),
          Map.of(
              "sre", new Principal("sre", "sre", Role.OPERATOR, Set.of()),
              "images", new Principal("images", "sre", Role.CONSUMER, Set.of("host/Reimage")),
              "operator",
                  new Principal("operator", "sre", Role.CONSUMER, Set.of("host/PackageUpdate"))));

  @AfterAll
  void close() {
    api.close();
    database.close();
  }

  private static String reading(String host, String stamp, String digest, String fault) {
    return """
        {"readings": {"readings": [{"host": "%s", "stamp": "%s", "askedAt": 1,
          "digest": "%s", "fault": "%s"}]}}"""
        .formatted(host, stamp, digest, fault);
  }

  private String stamp() {
    Matcher stamp =
        Pattern.compile("\"stamp\":\"([^\"]*)\"")
            .matcher(api.call("operator", "GET", DUE, "").body());
    assertThat(stamp.find()).isTrue();
    return stamp.group(1);
  }

  @Test
  void onlyWhoConsumesPackageUpdatesIsOfferedHostsAndMayReport() {
    fleet.host("h1");
    fleet.family("h1", "dnf");
    assertThat(api.call("operator", "GET", DUE, "").body())
        .contains("\"host\":\"h1\"", "\"address\":\"10.0.0.1\"", "\"osFamily\":\"dnf\"");
    String body = reading("h1", stamp(), "a".repeat(64), "");
    for (String other : List.of("sre", "images")) {
      assertThat(api.call(other, "GET", DUE, "").status()).as(other).isEqualTo(403);
      assertThat(api.call(other, "POST", REPORT, body).status()).as(other).isEqualTo(403);
    }
    assertThat(api.call("operator", "POST", REPORT, body).body()).isEqualTo("{\"value\":1}");
    assertThat(api.call("operator", "POST", REPORT, body).body())
        .as("twice is once")
        .isEqualTo("{\"value\":0}");
  }

  @Test
  void whatCannotBeAReadingIsRefusedWithItsPlace() {
    Answer both = api.call("operator", "POST", REPORT, reading("h1", "x", "", ""));
    assertThat(both.status()).isEqualTo(422);
    assertThat(both.body()).contains("readings[0].fault must be a text of 1 to 200 characters");
    assertThat(api.call("operator", "POST", REPORT, reading("h1", "x", "A1", "")).body())
        .contains("readings[0].digest must be 64 of the characters 0-9 and a-f");
    assertThat(api.call("operator", "POST", REPORT, reading("", "x", "", "down")).body())
        .contains("readings[0].host must be the name of a host");
    assertThat(api.call("operator", "POST", REPORT, reading("nobody", "x", "", "down")).body())
        .as("a host that there is not stops no other")
        .isEqualTo("{\"value\":0}");
  }
}
