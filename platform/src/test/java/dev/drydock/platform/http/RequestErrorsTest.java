package dev.drydock.platform.http;

import static dev.drydock.platform.http.HttpTestServer.RELEASE;
import static dev.drydock.platform.http.HttpTestServer.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestApi;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestErrorsTest {
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
  @ValueSource(strings = {"{\"name\":", "[1]", "x", "{\"name\":\"a\"", "{'name':'a'}"})
  void refusesMalformedJson(String body) {
    refused(api.call("operator", "POST", "/api/berths", body), 400, "MALFORMED_JSON");
  }

  @Test
  void saysWhereJsonIsMalformed() {
    var answer = api.call("operator", "POST", "/api/berths", "{\n\"name\": nope}");
    assertThat(answer.body()).contains("line 2, column");
  }

  @Test
  void namesAllFaultsOfARecordAtOnce() {
    var answer =
        api.call(
            "operator", "POST", "/api/berths", "{\"name\": {}, \"packages\": {}, \"colour\": 1}");
    assertThat(refused(answer, 422, "INVALID_REQUEST"))
        .containsExactlyInAnyOrder(
            "name {} is not of type String",
            "colour is not a known field",
            "channel is required",
            "kernel is required");
  }

  @Test
  void namesAllFaultsOfActionParametersAtOnce() {
    String body = "{\"cout\": 3, \"release\": " + RELEASE.replace("\"k\"", "\"k\", \"x\": 1") + "}";
    assertThat(
            refused(
                api.call("operator", "POST", "/api/berths?action=moor", body),
                422,
                "INVALID_REQUEST"))
        .containsExactlyInAnyOrder(
            "cout is not a known field", "release.x is not a known field", "count is required");
  }

  @Test
  void refusesNumbersThatDoNotFit() {
    String body = "{\"count\": 99999999999, \"release\": " + RELEASE + "}";
    assertThat(
            refused(
                api.call("operator", "POST", "/api/berths?action=moor", body),
                422,
                "INVALID_REQUEST"))
        .containsExactly("count is 99999999999, must be a whole number in range");
  }

  @Test
  void refusesParametersOfTheWrongType() {
    String body = "{\"count\": \"many\", \"release\": " + RELEASE + "}";
    assertThat(
            refused(
                api.call("operator", "POST", "/api/berths?action=moor", body),
                422,
                "INVALID_REQUEST"))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("count many");
  }

  @Test
  void judgesABodyByTheRecordTheMethodTakes() {
    var taken = api.call("operator", "POST", "/api/tugs", "{\"release\":\"2\",\"hosts\":[\"a\"]}");
    assertThat(taken.header("x-restli-id")).as(taken.body()).contains("2-1-PackageUpdate");
    var refused =
        api.call("operator", "POST", "/api/tugs", "{\"release\":\"2\",\"upgraded\":1,\"hosts\":7}");
    assertThat(refused(refused, 422, "INVALID_REQUEST"))
        .hasSize(2)
        .contains("upgraded is not a known field")
        .anySatisfy(fault -> assertThat(fault).startsWith("hosts "));
  }

  @Test
  void refusesBodiesOverTheLimitByTheirLength() {
    var answer = api.call("operator", "POST", "/api/berths", " ".repeat(70_000) + RELEASE);
    refused(answer, 413, "BODY_TOO_LARGE");
  }

  @Test
  void refusesBodiesOverTheLimitThatHideTheirLength() {
    byte[] body = (" ".repeat(70_000) + RELEASE).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    var chunked = HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
    var request =
        api.request("POST", "/api/berths", "")
            .header("Authorization", "Bearer " + TestApi.token("operator"))
            .POST(chunked)
            .build();
    refused(api.send(request), 413, "BODY_TOO_LARGE");
  }

  @Test
  void acceptsBodiesJustUnderTheLimit() {
    var answer = api.call("operator", "POST", "/api/berths", " ".repeat(65_000) + RELEASE);
    assertThat(answer.status()).isEqualTo(201);
  }

  @Test
  void passesOnWhatAResourceRefuses() {
    var answer = api.call("operator", "POST", "/api/berths?action=refuse", "{}");
    assertThat(refused(answer, 422, "BERTHS_TAKEN"))
        .containsExactly("hosts[1] h02 is taken", "hosts[4] h09 is taken");
    assertThat(answer.body()).contains("\"line\":3").contains("Two berths are taken.");
  }

  @Test
  void saysNothingAboutItsInsidesWhenSomethingBreaks() {
    var answer = api.call("operator", "POST", "/api/berths?action=sink", "{}");
    refused(answer, 500, "INTERNAL_ERROR");
    assertThat(answer.body()).doesNotContain("hull").containsPattern("as error [0-9a-f]{8}\\.");
  }

  @Test
  void tellsWhatIsNotThere() {
    refused(api.call("viewer", "GET", "/api/berths/none", ""), 404, "NOT_FOUND");
    refused(api.call("viewer", "GET", "/api/nothing", ""), 404, "NOT_FOUND");
    refused(api.call("viewer", "GET", "/elsewhere", ""), 404, "NO_SUCH_PATH");
    refused(api.call("viewer", "POST", "/api/mux", "{}"), 404, "NO_SUCH_PATH");
  }

  @ParameterizedTest
  @ValueSource(strings = {"DELETE", "PUT", "PATCH", "OPTIONS", "TRACE"})
  void tellsWhatCannotBeDone(String method) {
    refused(api.call("admin", method, "/api/berths/a", ""), 405, "METHOD_NOT_ALLOWED");
  }

  @Test
  void tellsWhichFindersAndActionsThereAreNot() {
    refused(api.call("viewer", "GET", "/api/berths?q=colour", ""), 405, "METHOD_NOT_ALLOWED");
    refused(
        api.call("operator", "POST", "/api/berths?action=paint", "{}"), 405, "METHOD_NOT_ALLOWED");
    refused(api.call("viewer", "POST", "/metrics", "{}"), 405, "METHOD_NOT_ALLOWED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?q=names",
        "?q=names&names=List(((",
        "?q=names&names=List(a)&start=x",
        "?ids=List(a)&fields=name,(("
      })
  void refusesQueriesThatMakeNoSense(String query) {
    refused(api.call("viewer", "GET", "/api/berths" + query, ""), 400, "BAD_REQUEST");
  }

  @Test
  void speaksOneVersionOfTheProtocol() {
    var request =
        HttpRequest.newBuilder(api.address().resolve("/api/berths/a"))
            .header("Authorization", "Bearer " + TestApi.token("viewer"))
            .header("X-RestLi-Protocol-Version", "1.0.0")
            .build();
    refused(api.send(request), 400, "PROTOCOL_VERSION");
  }
}
