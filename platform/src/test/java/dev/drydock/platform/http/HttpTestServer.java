package dev.drydock.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.http.api.BerthsResource;
import dev.drydock.platform.http.api.TugsResource;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The server with the test resource, and how its errors are read. */
final class HttpTestServer {
  static final String RELEASE =
      """
      {"name": "r/1", "channel": "c", "packages": {"a": "1"}, "kernel": "k"}""";

  private HttpTestServer() {}

  static TestApi open() {
    return TestApi.start(resources());
  }

  static TestApi openWithConsole() {
    return TestApi.startWithConsole(resources());
  }

  private static Resources resources() {
    var berths = new ConcurrentHashMap<String, dev.drydock.api.Release>();
    return Resources.of(BerthsResource.class, () -> new BerthsResource(berths))
        .and(TugsResource.class, TugsResource::new);
  }

  /** Checks status and code, and that nothing of the insides leaks; returns the details. */
  static List<String> refused(Answer answer, int status, String code) {
    assertThat(answer.body())
        .doesNotContain("Exception")
        .doesNotContain("\tat ")
        .doesNotContain("com.linkedin")
        .doesNotContain("org.eclipse")
        .doesNotContain("dev.drydock.platform");
    Map<String, Object> error = Json.readTree(answer.body());
    assertThat(error).containsOnlyKeys("status", "code", "message", "details");
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(error).containsEntry("status", status).containsEntry("code", code);
    assertThat(answer.header("content-type")).contains("application/json");
    return error.get("details") instanceof List<?> details
        ? details.stream().map(HttpTestServer::line).toList()
        : List.of();
  }

  private static String line(Object detail) {
    return detail instanceof Map<?, ?> fields
        ? fields.get("path") + " " + fields.get("message")
        : "no detail";
  }
}
