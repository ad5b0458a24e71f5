package dev.drydock.platform.testkit;

import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.HttpServer;
import dev.drydock.platform.http.HttpServerParts;
import dev.drydock.platform.http.PostRoute;
import dev.drydock.platform.http.Readiness;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.http.StreamRoute;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.identity.Tokens;
import dev.drydock.platform.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The real server with a room's resources on a free loopback port, and a client with one principal
 * per role:
 *
 * <pre>{@code
 * try (TestApi api = TestApi.start(inventory.resources(), principals)) {
 *   Answer answer = api.call("viewer", "GET", "/api/hosts/h01", "");
 * }
 * }</pre>
 */
public final class TestApi implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int BODY_BYTES_MAX = 64 * 1024;

  private final HttpServer server;
  private final Metrics metrics = new Metrics();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /** What came back. */
  public record Answer(int status, Map<String, String> headers, String body) {
    /** A header by its lower-case name. */
    public Optional<String> header(String name) {
      return Optional.ofNullable(headers.get(name));
    }
  }

  private TestApi(
      Resources resources,
      List<StreamRoute> streams,
      List<PostRoute> posts,
      Map<String, Principal> principals,
      boolean console) {
    Map<String, Principal> byToken = new LinkedHashMap<>();
    principals.forEach((name, principal) -> byToken.put(token(name), principal));
    try {
      server =
          new HttpServer(
              new ServerConfig.Http("127.0.0.1", 0, BODY_BYTES_MAX),
              new HttpServerParts(
                  resources,
                  streams,
                  posts,
                  new Tokens(byToken),
                  metrics,
                  Readiness.always(),
                  console));
    } catch (IOException noPort) {
      throw new UncheckedIOException("no free loopback port", noPort);
    }
  }

  /**
   * Serves with one principal per role, named and teamed like its role; a consumer of no topics.
   */
  public static TestApi start(Resources resources) {
    return start(resources, List.of());
  }

  /** The same with streams. */
  public static TestApi start(Resources resources, List<StreamRoute> streams) {
    return new TestApi(resources, streams, List.of(), onePerRole(), false);
  }

  /** As {@link #start(Resources)}, and the console of the class path. */
  public static TestApi startWithConsole(Resources resources) {
    return new TestApi(resources, List.of(), List.of(), onePerRole(), true);
  }

  private static Map<String, Principal> onePerRole() {
    Map<String, Principal> principals = new LinkedHashMap<>();
    for (Role role : Role.values()) {
      principals.put(
          role.word(), new Principal(role.word(), role.word(), role, java.util.Set.of()));
    }
    return principals;
  }

  /** Serves with these principals, by name. */
  public static TestApi start(Resources resources, Map<String, Principal> principals) {
    return start(resources, List.of(), principals);
  }

  /** The same with calls of other protocols. */
  public static TestApi start(
      Resources resources, List<PostRoute> posts, Map<String, Principal> principals) {
    return new TestApi(resources, List.of(), posts, principals, false);
  }

  /** The token of a principal. */
  public static String token(String name) {
    return "token-of-" + name;
  }

  /** The server's root. */
  public URI address() {
    return server.address();
  }

  /** What the server counted. */
  public Metrics metrics() {
    return metrics;
  }

  /** One call as the named principal; an empty body is none. */
  public Answer call(String principal, String method, String path, String body) {
    return send(
        request(method, path, body).header("Authorization", "Bearer " + token(principal)).build());
  }

  /** A request to shape further, without a token. */
  public HttpRequest.Builder request(String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create(address() + path))
        .timeout(TIMEOUT)
        .header("X-RestLi-Protocol-Version", "2.0.0")
        .header("Content-Type", "application/json")
        .method(
            method,
            body.isEmpty()
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body));
  }

  /** Sends it. */
  public Answer send(HttpRequest request) {
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      Map<String, String> headers = new LinkedHashMap<>();
      answer.headers().map().forEach((name, values) -> headers.put(name, String.join(",", values)));
      return new Answer(answer.statusCode(), headers, answer.body());
    } catch (IOException failed) {
      throw new UncheckedIOException(request.uri() + " gave no answer", failed);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", stop);
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
