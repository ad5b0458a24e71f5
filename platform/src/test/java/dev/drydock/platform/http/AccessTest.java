package dev.drydock.platform.http;

import static dev.drydock.platform.http.HttpTestServer.RELEASE;
import static dev.drydock.platform.http.HttpTestServer.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestApi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AccessTest {
  private static TestApi api;

  @BeforeAll
  static void open() {
    api = HttpTestServer.open();
  }

  @AfterAll
  static void close() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/berths/a", "/metrics", "/", "/healthz/../metrics", "/healthz;x=1"})
  void refusesCallsWithoutToken(String path) {
    var answer = api.send(api.request("GET", path, "").build());
    refused(answer, 401, "NO_TOKEN");
    assertThat(answer.header("www-authenticate")).contains("Bearer");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Bearer wrong", "bearer x y", "Bearer token-of-admi", "Bearer token-of-admin2"})
  void refusesWrongTokens(String header) {
    var request = api.request("GET", "/api/berths/a", "").header("Authorization", header).build();
    refused(api.send(request), 401, "WRONG_TOKEN");
  }

  @Test
  void refusesOtherSchemes() {
    var request =
        api.request("GET", "/api/berths/a", "")
            .header("Authorization", "Basic " + TestApi.token("admin"))
            .build();
    refused(api.send(request), 401, "NO_TOKEN");
  }

  @Test
  void answersHealthWithoutToken() {
    assertThat(api.send(api.request("GET", "/healthz", "").build()).status()).isEqualTo(200);
    assertThat(api.send(api.request("GET", "/readyz", "").build()).status()).isEqualTo(200);
  }

  @Test
  void refusesRolesTheMethodDoesNotName() {
    var answer = api.call("viewer", "POST", "/api/berths", RELEASE);
    refused(answer, 403, "ROLE_NOT_ALLOWED");
    assertThat(answer.body()).contains("needs role operator").contains("viewer has role viewer");
    refused(api.call("consumer", "POST", "/api/berths?action=moor", "{}"), 403, "ROLE_NOT_ALLOWED");
  }

  @Test
  void judgesTheRoleBeforeTheBody() {
    refused(api.call("viewer", "POST", "/api/berths", "{\"nonsense\":1}"), 403, "ROLE_NOT_ALLOWED");
  }

  @Test
  void refusesMethodsWithoutAllowEvenToAdministrators() {
    refused(api.call("admin", "GET", "/api/berths", ""), 403, "NOT_ALLOWED");
  }

  @Test
  void letsAdministratorsDoWhatAnyRoleMay() {
    assertThat(api.call("admin", "POST", "/api/berths", RELEASE).status()).isEqualTo(201);
  }
}
