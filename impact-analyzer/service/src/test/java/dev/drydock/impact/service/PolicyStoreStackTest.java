package dev.drydock.impact.service;

import static dev.drydock.impact.service.Rows.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.PolicyDocument;
import dev.drydock.lock.core.Generation;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.platform.testkit.TestDatabase;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class PolicyStoreStackTest {
  private static final Principal WEB = new Principal("web-team", "web", Role.OWNER, Set.of());
  private static final Principal SEARCH =
      new Principal("search-team", "search", Role.OWNER, Set.of());
  private static final String ONE = policy("web", "web", "[web, api]", "[{maxUnavailable: 1}]");
  private static final String TWO = policy("web", "web", "[web]", "[{maxUnavailable: 2}]");

  private final TestDatabase store = TestDatabase.create();
  private final Rows rows = new Rows(store.jdbi());
  private final List<Integer> versionsAtBump = new ArrayList<>();
  private final PolicyStore policies = new PolicyStore(store.jdbi(), this::bumped);

  private void bumped() {
    versionsAtBump.add(rows.count("policies"));
  }

  @AfterAll
  void close() {
    store.close();
  }

  @BeforeEach
  void empty() {
    rows.empty();
    versionsAtBump.clear();
  }

  private ApiException refused(Principal principal, String yaml) {
    return catchThrowableOfType(ApiException.class, () -> policies.apply(principal, yaml));
  }

  @Test
  void aChangedPolicyIsTheNextVersionAndTheSameTextIsTheSame() {
    assertThat(policies.apply(WEB, ONE).version()).isEqualTo(1);
    assertThat(policies.apply(WEB, ONE).version()).isEqualTo(1);
    StoredPolicy two = policies.apply(WEB, TWO);
    assertThat(two.version()).isEqualTo(2);
    assertThat(two.applications()).containsExactly("web");
    assertThat(policies.apply(WEB, ONE).version()).as("going back is a version too").isEqualTo(3);
    assertThat(policies.find("web").orElseThrow().applications()).containsExactly("api", "web");
    assertThat(rows.count("policies")).isEqualTo(3);
    assertThat(rows.count("audit")).isEqualTo(3);
  }

  @Test
  void theGenerationIsBumpedAfterTheCommitAndBeforeTheAnswerAlsoForARepetition() {
    policies.apply(WEB, ONE);
    assertThat(versionsAtBump).as("the new version could be read when bumped").containsExactly(1);
    policies.apply(WEB, TWO);
    policies.apply(WEB, TWO);
    assertThat(versionsAtBump).containsExactly(1, 2, 2);
  }

  @Test
  void withoutABumpThereIsNoGoodAnswerAndARepetitionBringsIt() {
    boolean[] down = {true};
    Generation flaky =
        () -> {
          if (down[0]) {
            throw new IllegalStateException("no answer from the lock store");
          }
          bumped();
        };
    PolicyStore unlucky = new PolicyStore(store.jdbi(), flaky);
    ApiException answer = catchThrowableOfType(ApiException.class, () -> unlucky.apply(WEB, ONE));
    assertThat(answer.status().code()).isEqualTo(503);
    assertThat(answer.message()).contains("stored as version 1", "apply it again");
    down[0] = false;
    assertThat(unlucky.apply(WEB, ONE).version()).isEqualTo(1);
    assertThat(versionsAtBump).containsExactly(1);
  }

  @Test
  void anApplicationHasOnePolicy() {
    policies.apply(WEB, ONE);
    String other = policy("search", "search", "[search, web, api]", "[{maxUnavailable: 1}]");
    ApiException taken = refused(SEARCH, other);
    assertThat(taken.details())
        .extracting(d -> d.getLine() + " " + d.getPath() + " " + d.getMessage())
        .containsExactly(
            "5 spec.applications[1] application web is covered by policy web already: an"
                + " application has one policy",
            "5 spec.applications[2] application api is covered by policy web already: an"
                + " application has one policy");
    assertThat(policies.find("search")).isEmpty();
    assertThat(versionsAtBump).as("nothing changed").containsExactly(1);
    policies.apply(WEB, TWO);
    assertThat(refused(SEARCH, other).details()).as("api is free again").hasSize(1);
  }

  @Test
  void onlyItsTeamOrAnAdminChangesAPolicy() {
    policies.apply(WEB, ONE);
    assertThat(refused(SEARCH, ONE).status().code()).isEqualTo(403);
    String grabbed = policy("web", "search", "[web]", "[{maxUnavailable: 9}]");
    assertThat(refused(SEARCH, grabbed).message()).contains("policy web of team web");
    assertThat(policies.apply(Principal.server(), TWO).version()).isEqualTo(2);
  }

  @Test
  void overHttpEverythingWrongIsNamedByLineAndNothingIsStored() {
    try (var analyzer = new ImpactAnalyzer(store.database(), this::bumped, Rows.SETTINGS);
        TestApi api =
            TestApi.start(
                analyzer.resources(),
                Map.of(
                    "web-team",
                    WEB,
                    "viewer",
                    new Principal("viewer", "x", Role.VIEWER, Set.of())))) {
      String bad = policy("web", "web", "[web]", "[{maxUnavailable: 150%}]\n  remediation: {}");
      Answer answer = api.call("web-team", "POST", "/api/policies", body(bad));
      assertThat(answer.status()).isEqualTo(422);
      assertThat(answer.body())
          .contains("INVALID_POLICY", "spec.capacity[0].maxUnavailable", "\"line\":6")
          .contains("spec.remediation.ladder", "\"line\":7", "is missing: must be a list");
      assertThat(rows.count("policies")).isZero();
      assertThat(versionsAtBump).isEmpty();

      assertThat(api.call("viewer", "POST", "/api/policies", body(ONE)).status()).isEqualTo(403);
      Answer lint = api.call("viewer", "POST", "/api/policies?action=lint", body(ONE));
      assertThat(lint.body()).contains("\"applications\":[\"web\",\"api\"]");
      assertThat(rows.count("policies")).as("lint stores nothing").isZero();
      assertThat(api.call("viewer", "POST", "/api/policies?action=lint", body(bad)).status())
          .isEqualTo(422);

      Answer created = api.call("web-team", "POST", "/api/policies", body(ONE));
      assertThat(created.status()).as(created.body()).isEqualTo(201);
      assertThat(created.header("x-restli-id")).contains("web");
      assertThat(api.call("viewer", "GET", "/api/policies/web", "").body())
          .contains("\"version\":1", "\"createdBy\":\"web-team\"");
      assertThat(api.call("viewer", "GET", "/api/policies", "").body()).contains("\"total\":1");
      assertThat(api.call("viewer", "GET", "/api/policies/nope", "").status()).isEqualTo(404);
    }
  }

  @Test
  void warnsOfApplicationsThatNobodyHasAndOfRulesThatLetNoneGoDown() {
    long mark = rows.report("static");
    rows.instance("web", "h1", mark);
    rows.instance("web", "h2", mark);
    Principal viewer = new Principal("viewer", "x", Role.VIEWER, Set.of());
    try (var analyzer = new ImpactAnalyzer(store.database(), this::bumped, Rows.SETTINGS);
        TestApi api =
            TestApi.start(analyzer.resources(), Map.of("viewer", viewer, "web-team", WEB))) {
      String yaml =
          policy(
              "web",
              "web",
              "[web, wep]",
              "[{maxUnavailable: 0}, {minAvailable: 2}, {maxUnavailable: 10%}]");
      assertThat(api.call("web-team", "POST", "/api/policies", body(yaml)).status())
          .as("in force all the same")
          .isEqualTo(201);
      for (Answer warned :
          List.of(
              api.call("viewer", "POST", "/api/policies?action=lint", body(yaml)),
              api.call("viewer", "GET", "/api/policies/web", ""))) {
        assertThat(warned.body())
            .contains(
                "no host has an instance of wep: did you mean web?",
                "is 0, which lets no instance go down",
                "minAvailable 2 needs 2 of the 2 instances of web: their hosts are never upgraded",
                "maxUnavailable 10% needs 2 of the 2 instances of web");
      }
      String well = policy("web", "web", "[web]", "[{maxUnavailable: 1}]");
      assertThat(api.call("viewer", "POST", "/api/policies?action=lint", body(well)).body())
          .as("the control")
          .contains("\"warnings\":[]");
    }
  }

  @Test
  void lintWarnsOfWhatOthersOnTheSameHostsOverrule() {
    long mark = rows.report("static");
    for (String host : List.of("h1", "h2")) {
      rows.instance("web", host, mark);
      rows.instance("search", host, mark);
    }
    rows.instance("search", "h3", mark);
    String some = "[{minAvailable: 0}]";
    Principal viewer = new Principal("viewer", "x", Role.VIEWER, Set.of());
    try (var analyzer = new ImpactAnalyzer(store.database(), this::bumped, Rows.SETTINGS);
        TestApi api = TestApi.start(analyzer.resources(), Map.of("viewer", viewer))) {
      policies.apply(
          WEB, policy("web", "web", "[web]", some + "\n  drain: {timeout: 5m, onTimeout: Ask}"));
      assertThat(lint(api, search(some + "\n  drain: {timeout: 4s, onTimeout: Force}")))
          .contains("\"path\":\"spec.drain.timeout\"", "\"line\":7")
          .contains(
              "4s of policy search has no effect on 2 hosts: there it is 5m (policy web)",
              "Force of policy search has no effect on 2 hosts: there it is Ask (policy web)");
      assertThat(lint(api, search(some + "\n  drain: {timeout: 6m, onTimeout: Quarantine}")))
          .as("the control: it holds everywhere")
          .doesNotContain("no effect");
      assertThat(lint(api, search(some))).as("it says nothing").doesNotContain("no effect");
    }
  }

  private static String search(String capacity) {
    return policy("search", "search", "[search]", capacity);
  }

  private static String lint(TestApi api, String yaml) {
    return api.call("viewer", "POST", "/api/policies?action=lint", body(yaml)).body();
  }

  private static String body(String yaml) {
    return Json.write(new PolicyDocument().setYaml(yaml));
  }
}
