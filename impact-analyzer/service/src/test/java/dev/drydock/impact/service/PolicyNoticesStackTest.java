package dev.drydock.impact.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.NotificationEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.testkit.TestDatabase;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The notify of policies meets the subscriptions there are. */
@Tag("stack")
class PolicyNoticesStackTest {
  private static final Principal SEARCH =
      new Principal("search-team", "search", Role.OWNER, Set.of());
  private static final String POLICY =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search}
      spec:
        applications: [search]
        capacity: [{maxUnavailable: 1}]
        notify:
          - {events: [Failed, Quarantined], subscription: oncall}
      """;

  private final TestDatabase store = TestDatabase.create();
  private final PolicyStore policies = new PolicyStore(store.jdbi(), () -> {});

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aSubscriptionThatIsNotThereIsRefusedWithItsLine() {
    subscribe("ads", "oncall");
    for (boolean lint : List.of(true, false)) {
      ApiException refused =
          catchThrowableOfType(
              ApiException.class,
              () -> {
                if (lint) {
                  policies.lint(POLICY);
                } else {
                  policies.apply(SEARCH, POLICY);
                }
              });
      assertThat(refused.message())
          .contains(
              "line 8: spec.notify[0].subscription", "team search has no subscription oncall");
    }
    subscribe("search", "oncall");
    assertThat(policies.apply(SEARCH, POLICY).version()).isEqualTo(1);
  }

  @Test
  void theNewestVersionIsInForce() {
    subscribe("search", "oncall");
    policies.apply(SEARCH, POLICY);
    assertThat(notices()).containsExactly("oncall Failed,Quarantined");
    policies.apply(SEARCH, POLICY.replace("Failed, ", ""));
    assertThat(notices()).containsExactly("oncall Quarantined");
    policies.apply(SEARCH, POLICY.replaceAll("(?s)  notify:.*", ""));
    assertThat(notices()).isEmpty();
  }

  /**
   * The schema of policies names the words itself, for whoever checks policies without a server.
   */
  @Test
  void theSchemaKnowsTheWordsOfTheWire() throws IOException {
    try (InputStream in = PolicyStore.class.getResourceAsStream("/policy.schema.json")) {
      String schema = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      String words =
          Json.writeTree(
                  java.util.Map.of(
                      "enum",
                      Arrays.stream(NotificationEvent.values())
                          .filter(word -> word != NotificationEvent.$UNKNOWN)
                          .map(NotificationEvent::name)
                          .toList()))
              .replaceAll("[{}\\s]", "");
      assertThat(schema.replaceAll("\\s", "")).contains(words);
    }
  }

  private void subscribe(String team, String name) {
    store
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "INSERT INTO subscriptions (team, name, events, applications, rollouts,"
                        + " acknowledged, created_by) VALUES (?, ?, '{}', '{}', '{}', 0, 'test')",
                    team,
                    name));
  }

  private List<String> notices() {
    return store
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT subscription || ' ' || array_to_string(events, ',')"
                            + " FROM policy_notices ORDER BY subscription")
                    .mapTo(String.class)
                    .list());
  }
}
