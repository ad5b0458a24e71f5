package dev.drydock.platform.http;

import dev.drydock.platform.identity.Authenticator;
import dev.drydock.platform.metrics.Metrics;
import java.util.List;

/**
 * What an {@link HttpServer} serves, and whom.
 *
 * @param posts calls of other protocols
 * @param console whether the console of the class path is served as well
 */
public record HttpServerParts(
    Resources resources,
    List<StreamRoute> streams,
    List<PostRoute> posts,
    Authenticator authenticator,
    Metrics metrics,
    Readiness readiness,
    boolean console) {
  public HttpServerParts {
    streams = List.copyOf(streams);
    posts = List.copyOf(posts);
  }

  /** Without calls of other protocols. */
  public HttpServerParts(
      Resources resources,
      List<StreamRoute> streams,
      Authenticator authenticator,
      Metrics metrics,
      Readiness readiness,
      boolean console) {
    this(resources, streams, List.of(), authenticator, metrics, readiness, console);
  }
}
