package dev.drydock.platform.http;

import static dev.drydock.platform.http.HttpTestServer.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console of the test class path, beside the API. */
final class ConsoleTest {
  private static final String BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
  private static TestApi api;

  @BeforeAll
  static void open() {
    api = HttpTestServer.openWithConsole();
  }

  @AfterAll
  static void close() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/rollouts", "/rollouts/r1/hosts/h01", "/apis", "/rollouts/a.b"})
  void aBrowserGetsTheIndexForEveryPage(String path) {
    Answer answer = get(path, BROWSER);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("Test console");
    assertThat(answer.header("content-type"))
        .hasValueSatisfying(t -> assertThat(t).startsWith("text/html"));
    assertThat(answer.header("cache-control")).contains("no-store");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/assets/app-1a2b.js"})
  void everyFileIsGuarded(String path) {
    assertThat(get(path, BROWSER).headers())
        .containsKeys("content-security-policy", "referrer-policy", "cross-origin-opener-policy")
        .containsEntry("x-content-type-options", "nosniff");
    assertThat(get(path, BROWSER).headers().get("content-security-policy"))
        .startsWith("default-src 'none'; script-src 'self';")
        .contains("frame-ancestors 'none'");
  }

  @Test
  void filesNamedByTheirContentAreKeptForeverAndSentCompressed() {
    HttpRequest.Builder request = api.request("GET", "/assets/app-1a2b.js", "");
    Answer plain = api.send(request.build());
    assertThat(plain.body()).isEqualTo("export const answer = 42;\n");
    assertThat(plain.header("content-type"))
        .hasValueSatisfying(t -> assertThat(t).startsWith("text/javascript"));
    assertThat(plain.header("cache-control"))
        .hasValueSatisfying(c -> assertThat(c).endsWith("immutable"));
    Answer packed = api.send(request.header("Accept-Encoding", "gzip").build());
    assertThat(packed.header("content-encoding")).contains("gzip");
    assertThat(packed.header("vary")).hasValueSatisfying(v -> assertThat(v).contains("Encoding"));
  }

  /** The control: with the console in front of it, all that needs a token still does. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api",
        "/api/berths/a",
        "/api;x/berths/a",
        "/api/../api/berths/a",
        "/metrics",
        "/metrics;x=1",
        "/healthz/../metrics"
      })
  void theServersOwnPathsStayAsTheyAre(String path) {
    refused(get(path, BROWSER), 401, "NO_TOKEN");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/assets/none.js",
        "/assets/",
        "/%2e%2e/db/schema/V1__fleet.sql",
        "/assets/..%2f..%2flogback.xml"
      })
  void whatIsNoFileOfTheConsoleIsNotServedToPrograms(String path) {
    assertThat(get(path, "*/*").status()).isBetween(400, 404);
  }

  @Test
  void programsAndWritesAreNotForTheConsole() {
    refused(get("/rollouts", "application/json"), 401, "NO_TOKEN");
    refused(
        api.send(api.request("POST", "/", "{}").header("Accept", BROWSER).build()),
        401,
        "NO_TOKEN");
    assertThat(get("/healthz", BROWSER).body()).isEqualTo("ok\n");
    assertThat(api.call("viewer", "GET", "/api/berths/none", "").status()).isEqualTo(404);
  }

  private static Answer get(String path, String accepted) {
    return api.send(api.request("GET", path, "").header("Accept", accepted).build());
  }
}
