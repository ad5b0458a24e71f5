package dev.drydock.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Tokens;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class EndpointsTest {
  private static final List<String> NAMES =
      List.of(
          "drydock_grants_total",
          "drydock_checks_total",
          "drydock_jobs_completed_total",
          "drydock_jobs_open",
          "drydock_hosts",
          "drydock_lock_waiters",
          "drydock_is_grantor",
          "drydock_http_request_seconds",
          "drydock_wakeups_undelivered",
          "drydock_reports_total",
          "drydock_audit_violations_total",
          "drydock_audit_gaps_total",
          "drydock_audit_lag_events");

  @Test
  void publishesEveryNamedMetricFromTheStart() {
    try (TestApi api = HttpTestServer.open()) {
      String text = api.call("viewer", "GET", "/metrics", "").body();
      for (String name : NAMES) {
        assertThat(text)
            .contains("# HELP " + name + " ")
            .containsPattern("\n" + name + "[_a-z]*[ {]");
      }
    }
  }

  @Test
  void countsRequestsByResourceAndStatusButNotByWhatClientsInvent() {
    try (TestApi api = HttpTestServer.open()) {
      api.call("viewer", "GET", "/api/berths/none", "");
      api.call("viewer", "GET", "/api/invented-1", "");
      api.call("viewer", "GET", "/invented-2", "");
      String text = api.call("viewer", "GET", "/metrics", "").body();
      assertThat(text)
          .contains("drydock_http_request_seconds_count{resource=\"berths\",status=\"404\"} 1")
          .contains("drydock_http_request_seconds_count{resource=\"other\",status=\"404\"} 2")
          .doesNotContain("invented");
    }
  }

  @Test
  void isReadyOnlyWhenNothingIsMissing() throws Exception {
    List<String> missing = new CopyOnWriteArrayList<>(List.of("etcd does not answer"));
    try (HttpServer server = serve(0, () -> missing)) {
      assertThat(get(server, "/readyz")).isEqualTo("503 etcd does not answer\n");
      assertThat(get(server, "/healthz")).isEqualTo("200 ok\n");
      missing.clear();
      assertThat(get(server, "/readyz")).isEqualTo("200 ready\n");
    }
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    try (HttpServer first = serve(0, Readiness.always())) {
      int taken = first.address().getPort();
      assertThatThrownBy(() -> serve(taken, Readiness.always())).isInstanceOf(IOException.class);
    }
  }

  private static HttpServer serve(int port, Readiness readiness) throws IOException {
    return new HttpServer(
        new ServerConfig.Http("127.0.0.1", port, 4096),
        new HttpServerParts(
            Resources.none(), List.of(), new Tokens(Map.of()), new Metrics(), readiness, false));
  }

  private static String get(HttpServer server, String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(server.address().resolve(path)).build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() + " " + answer.body();
    }
  }
}
