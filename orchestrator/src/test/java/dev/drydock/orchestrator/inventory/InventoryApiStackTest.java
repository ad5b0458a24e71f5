package dev.drydock.orchestrator.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HealthSpec;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.platform.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The inventory's resources over real HTTP. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class InventoryApiStackTest {
  private static final String RELEASE =
      """
      {"name":"2","channel":"http://10.1.2.1:8080/apt/v2","packages":{"fleet-os":"2.0"},"kernel":"6.2.0.0-fleet"}
      """;
  private static final LockTable LOCKED =
      new LockTable(
          7,
          Map.of(
              "h1",
              new LockRecord(
                  "g1",
                  LockRecord.Kind.BATCH,
                  LockRecord.Stage.OPEN,
                  "h1",
                  List.of("h1"),
                  List.of(),
                  "sre",
                  "rollout r1",
                  Optional.of("r1"),
                  1,
                  1,
                  7)),
          List.of(),
          Map.of(),
          Set.of());

  private final TestDatabase store = TestDatabase.create();
  private final InventoryService inventoryService =
      new InventoryService(store.database(), new Metrics(), () -> LOCKED);
  private final TestApi api =
      TestApi.start(
          inventoryService.resources(),
          Map.of(
              "viewer", new Principal("viewer", "sre", Role.VIEWER, Set.of()),
              "sre", new Principal("sre", "sre", Role.OPERATOR, Set.of()),
              "static", new Principal("static", "sre", Role.CONSUMER, Set.of())));

  @AfterAll
  void close() {
    api.close();
    inventoryService.close();
    store.close();
  }

  @Test
  void aReleaseCanBeAddedTwiceAndNeverChanged() {
    Answer first = api.call("sre", "POST", "/api/releases", RELEASE);
    assertThat(first.status()).as(first.body()).isEqualTo(201);
    assertThat(first.header("x-restli-id")).contains("2");
    assertThat(api.call("sre", "POST", "/api/releases", RELEASE).status()).isEqualTo(201);
    Answer changed = api.call("sre", "POST", "/api/releases", RELEASE.replace("6.2", "6.3"));
    assertThat(changed.status()).isEqualTo(409);
    assertThat(changed.body()).contains("RELEASE_EXISTS", "another content");
    assertThat(api.call("viewer", "GET", "/api/releases/2", "").body()).contains("6.2.0.0-fleet");
    assertThat(api.call("viewer", "GET", "/api/releases", "").body())
        .contains("\"createdBy\":\"sre\"");
    assertThat(inventoryService.releases().find("2")).isPresent();
  }

  @Test
  void aReleaseMayLaterBeGivenForDnfHostsAndThenNeverChanges() {
    String apt = RELEASE.replace("\"2\"", "\"mixed\"");
    String mixed = forDnf(apt, "2.0-1");
    assertThat(api.call("sre", "POST", "/api/releases", apt).status()).isEqualTo(201);
    for (int again = 0; again < 2; again++) {
      Answer extended = api.call("sre", "POST", "/api/releases", mixed);
      assertThat(extended.status()).as(extended.body()).isEqualTo(201);
    }
    assertThat(inventoryService.releases().find("mixed").orElseThrow().getDnfPackages())
        .containsEntry("fleet-os", "2.0-1");
    assertThat(api.call("sre", "POST", "/api/releases", forDnf(apt, "2.0-2")).status())
        .isEqualTo(409);
    assertThat(api.call("sre", "POST", "/api/releases", apt).status()).isEqualTo(409);
    String other = forDnf(RELEASE.replace("\"2\"", "\"other\""), "2.0-1");
    assertThat(api.call("sre", "POST", "/api/releases", apt.replace("mixed", "other")).status())
        .isEqualTo(201);
    assertThat(api.call("sre", "POST", "/api/releases", other.replace("6.2", "6.3")).status())
        .as("nothing else may change by the way")
        .isEqualTo(409);
  }

  private static String forDnf(String release, String version) {
    return release
        .strip()
        .replaceFirst(
            "}$",
            ",\"dnfChannel\":\"http://10.1.2.1:8080/dnf/v2\",\"dnfPackages\":{\"fleet-os\":\""
                + version
                + "\"}}");
  }

  @Test
  void aReleaseForDnfHostsAloneHasAnEmptyChannel() {
    String dnf =
        forDnf(
            "{\"name\":\"rpm\",\"channel\":\"\",\"packages\":{},\"kernel\":\"6\"}", "1:2.0-1.el9");
    Answer added = api.call("sre", "POST", "/api/releases", dnf);
    assertThat(added.status()).as(added.body()).isEqualTo(201);
    Answer none =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            "{\"name\":\"none\",\"channel\":\"\",\"packages\":{},\"kernel\":\"6\"}");
    assertThat(none.status()).isEqualTo(422);
    assertThat(none.body()).contains("\"channel\"", "only beside a dnfChannel", "\"packages\"");
  }

  @Test
  void everythingWrongInWhatIsForDnfHostsIsNamedAtOnce() {
    Answer answer =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            """
            {"name":"bad","channel":"http://x/","packages":{"a":"1"},"kernel":"6",
             "dnfChannel":"ftp://x/","dnfPackages":{"Bad Name":"2.0-1","ok":"2.0"},"dnfKernel":"$(id)"}
            """);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains("\"dnfChannel\"", "dnfPackages.Bad Name", "dnfPackages.ok", "release number")
        .contains("\"dnfKernel\"");
    Answer useless =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            """
            {"name":"bad","channel":"http://x/","packages":{"a":"1"},"kernel":"6",
             "dnfPackages":{"a":"1-1"},"dnfKernel":"6"}
            """);
    assertThat(useless.body()).contains("\"dnfPackages\"", "\"dnfKernel\"");
  }

  @Test
  void everythingWrongWithImagesIsNamedAtOnce() {
    String release =
        """
        {"name":"img","channel":"http://x/","packages":{"a":"1"},"kernel":"6"%s}
        """;
    Answer bad =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            release.formatted(
                ",\"images\":{\"apt\":\"ftp://x/\",\"zypper\":\"http://x/\"},\"imageVersion\":\"$(id)\""));
    assertThat(bad.status()).isEqualTo(422);
    assertThat(bad.body()).contains("images.apt", "images.zypper", "\"imageVersion\"");
    assertThat(
            api.call("sre", "POST", "/api/releases", release.formatted(",\"imageVersion\":\"1\""))
                .body())
        .contains("of no use without images");
    assertThat(
            api.call(
                    "sre",
                    "POST",
                    "/api/releases",
                    release.formatted(",\"images\":{\"apt\":\"http://x/a\"}"))
                .body())
        .contains("\"imageVersion\"");
  }

  @Test
  void everythingWrongWithWhatAReleaseWantsOfHostsIsNamedAtOnce() {
    String release =
        """
        {"name":"spec","channel":"http://x/","packages":{"a":"1"},"kernel":"6","health":{%s}}
        """;
    Answer bad =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            release.formatted(
                """
                "default":{"memoryMib":-1,"mounts":{"data":5,"/":101},"cards":{"eth 0":-1},
                           "services":["$(id)"],"bmc":{"memoryGib":-0.5,"firmware":{"BIOS":""}}},
                "a b":{}
                """));
    assertThat(bad.status()).isEqualTo(422);
    assertThat(bad.body())
        .contains(
            "health.default.memoryMib",
            "health.default.mounts.data",
            "health.default.mounts./",
            "health.default.cards.eth 0",
            "health.default.services",
            "health.default.bmc.memoryGib",
            "health.default.bmc.firmware.BIOS",
            "health.a b");
    assertThat(
            api.call(
                    "sre",
                    "POST",
                    "/api/releases",
                    release.formatted("\"x\":{\"bmc\":{\"log\":\"Bad\"}}"))
                .status())
        .isBetween(400, 422);
    String good =
        release.formatted(
            """
            "standard":{"memoryMib":1000,"mounts":{"/":5},"cards":{"eth0":0},"services":["sshd"],
                        "bmc":{"health":"Warning","memoryGib":3.5,"log":"OK"}}
            """);
    assertThat(api.call("sre", "POST", "/api/releases", good).status()).isEqualTo(201);
    HealthSpec standard =
        inventoryService.releases().find("spec").orElseThrow().getHealth().get("standard");
    assertThat(standard).isNotNull().extracting(HealthSpec::getMounts).isEqualTo(Map.of("/", 5));
  }

  @Test
  void imagesAreAddedToAReleaseThatHadNoneAndNeverChangeAfterwards() {
    String plain = forDnf(RELEASE.replace("\"2\"", "\"late\""), "2.0-1");
    String image = ",\"images\":{\"apt\":\"http://x/a\"},\"imageVersion\":\"2.0\"}";
    String extended = plain.strip().replaceFirst("}$", image);
    assertThat(api.call("sre", "POST", "/api/releases", plain).status()).isEqualTo(201);
    assertThat(api.call("sre", "POST", "/api/releases", extended).status()).isEqualTo(201);
    assertThat(inventoryService.releases().find("late").orElseThrow().getImageVersion())
        .isEqualTo("2.0");
    assertThat(api.call("sre", "POST", "/api/releases", extended).status()).isEqualTo(201);
    assertThat(api.call("sre", "POST", "/api/releases", plain).status()).isEqualTo(409);
    assertThat(
            api.call("sre", "POST", "/api/releases", extended.replace("http://x/a", "http://x/b"))
                .status())
        .isEqualTo(409);
  }

  @Test
  void anUnknownReleaseIsNotFound() {
    assertThat(inventoryService.releases().find("nope")).isEmpty();
    Answer answer = api.call("viewer", "GET", "/api/releases/nope", "");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body()).contains("UNKNOWN_RELEASE", "not in the catalogue");
  }

  @Test
  void everythingWrongWithAReleaseIsNamedAtOnce() {
    Answer answer =
        api.call(
            "sre",
            "POST",
            "/api/releases",
            """
            {"name":"a b","channel":"http://x/ main; rm","packages":{"Bad Name":"two"},"kernel":"$(id)"}
            """);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains("\"name\"", "\"channel\"", "packages.Bad Name", "\"kernel\"");
  }

  @Test
  void viewersAddNothing() {
    assertThat(api.call("viewer", "POST", "/api/releases", RELEASE).status()).isEqualTo(403);
  }

  @Test
  void aSourceMarksAndReportsAndTheHostShowsItsInstancesAndLock() {
    Answer marked =
        api.call("static", "POST", "/api/inventory?action=mark", "{\"source\":\"static\"}");
    assertThat(marked.status()).as(marked.body()).isEqualTo(200);
    String mark = marked.body().replaceAll("\\D", "");
    String report =
        """
        {"report":{"source":"static","mark":%s,"full":true,
          "hosts":[{"name":"h1","address":"10.0.0.1","scheduler":"static","labels":{"rack":"r1"}},
                   {"name":"h2","address":"10.0.0.2","scheduler":"static"}],
          "instances":[{"id":"web@h1","application":"web","host":"h1","zone":"z1","health":"Healthy","observedAt":1}]}}
        """
            .formatted(mark);
    Answer reported = api.call("static", "POST", "/api/inventory?action=report", report);
    assertThat(reported.status()).as(reported.body()).isEqualTo(200);
    assertThat(reported.body()).contains("\"accepted\":true");
    assertThat(api.call("static", "POST", "/api/inventory?action=report", report).body())
        .contains("\"accepted\":false", "not newer");

    Answer host = api.call("viewer", "GET", "/api/hosts/h1", "");
    assertThat(host.body()).contains("web@h1", "\"rack\":\"r1\"", "\"stage\":\"open\"", "g1");
    Answer batch = api.call("viewer", "GET", "/api/hosts?ids=List(h1,h9)", "");
    assertThat(batch.body()).contains("web@h1", "there is no host named h9");
    Answer page = api.call("viewer", "GET", "/api/hosts?start=1&count=1", "");
    assertThat(page.body()).contains("\"h2\"", "\"total\":2").doesNotContain("web@h1");
    assertThat(api.call("viewer", "GET", "/api/hosts/h9", "").status()).isEqualTo(404);
  }

  @Test
  void aReportWithFaultsNamesThemAll() {
    Answer answer =
        api.call(
            "static",
            "POST",
            "/api/inventory?action=report",
            """
            {"report":{"source":"static","mark":1,"full":true,
              "hosts":[{"name":"h 1","address":"10.0.0.1","scheduler":"static"},
                       {"name":"h3","address":"","scheduler":"static"},
                       {"name":"h3","address":"10.0.0.3","scheduler":"static"}],
              "instances":[{"id":"web@h4","application":"web","host":"h4","zone":"z1","health":"Healthy","observedAt":1}]}}
            """);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains(
            "hosts[0].name", "hosts[1].address", "h3 is listed twice", "h4 is not among the hosts");
  }
}
