package dev.drydock.platform.http;

import com.linkedin.restli.server.annotations.RestLiActions;
import com.linkedin.restli.server.annotations.RestLiAssociation;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.metrics.Metrics;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The server's door: observing, then the console, then authentication, then the body limit, then
 * /healthz, /readyz, /metrics, the streams and the resources under /api. Requests run on virtual
 * threads. Closing lets requests under way end, and ends streams.
 */
public final class HttpServer implements AutoCloseable {
  private static final int THREADS_MAX = 16;
  private static final int IDLE_MILLIS = 60_000;
  private static final int STOP_MILLIS = 5_000;

  private final Server server;
  private final ServerConnector connector;

  /** Absent in a process without resources, which Rest.li would refuse. */
  private final Optional<RestLiEngine> engine;

  /**
   * Opens the port and serves.
   *
   * @throws IOException if the port cannot be had
   */
  public HttpServer(ServerConfig.Http config, HttpServerParts parts) throws IOException {
    engine =
        parts.resources().classes().isEmpty()
            ? Optional.empty()
            : Optional.of(new RestLiEngine(parts.resources()));
    QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX);
    threads.setName("http");
    threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("http-"));
    server = new Server(threads);
    server.setStopTimeout(STOP_MILLIS);
    server.setErrorHandler(new JettyErrors(config.maxBodyBytes()));
    server.setHandler(handlers(config, parts));
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(settings()));
    connector.setHost(config.host());
    connector.setPort(config.port());
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    try {
      connector.open();
      server.start();
    } catch (IOException taken) {
      engine.ifPresent(RestLiEngine::close);
      throw taken;
    } catch (Exception failed) {
      close();
      throw new IllegalStateException("the HTTP server did not start", failed);
    }
  }

  /** Where it listens, with the real port. */
  public URI address() {
    return URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort());
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception failed) {
      throw new IllegalStateException("the HTTP server did not stop", failed);
    } finally {
      engine.ifPresent(RestLiEngine::close);
    }
  }

  private Handler handlers(ServerConfig.Http config, HttpServerParts parts) {
    Handler.Sequence routes =
        new Handler.Sequence(
            new TextHandler("/healthz", () -> text(200, "ok\n")),
            new TextHandler("/readyz", () -> ready(parts.readiness())),
            new TextHandler("/metrics", () -> metrics(parts.metrics())));
    parts
        .streams()
        .forEach(route -> routes.addHandler(new StreamHandler(route, StreamPace.DEFAULT)));
    parts.posts().forEach(route -> routes.addHandler(new PostHandler(route)));
    engine.ifPresent(api -> routes.addHandler(new RestLiBridge(api.server())));
    BodyLimit limited = new BodyLimit(config.maxBodyBytes());
    limited.setHandler(routes);
    Set<String> basic =
        parts.posts().stream().map(PostRoute::path).collect(Collectors.toUnmodifiableSet());
    Handler known = new AuthenticationHandler(parts.authenticator(), basic, limited);
    Handler all = parts.console() ? new Handler.Sequence(new ConsoleHandler(), known) : known;
    return new GracefulHandler(new ObservingHandler(parts.metrics(), names(parts), all));
  }

  private static HttpConfiguration settings() {
    HttpConfiguration settings = new HttpConfiguration();
    settings.setSendServerVersion(false);
    settings.setSendDateHeader(true);
    // Keys may hold %2F and %25; nothing here decides by a decoded path.
    settings.setUriCompliance(
        UriCompliance.from(
            EnumSet.of(
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING)));
    return settings;
  }

  private static Set<String> names(HttpServerParts parts) {
    Set<String> names = new TreeSet<>(List.of("healthz", "readyz", "metrics"));
    parts
        .streams()
        .forEach(route -> names.add(route.path().substring(route.path().lastIndexOf('/') + 1)));
    parts.posts().forEach(route -> names.add(route.path().substring(1)));
    for (Class<?> resource : parts.resources().classes()) {
      RestLiCollection collection = resource.getAnnotation(RestLiCollection.class);
      RestLiSimpleResource simple = resource.getAnnotation(RestLiSimpleResource.class);
      RestLiActions actions = resource.getAnnotation(RestLiActions.class);
      RestLiAssociation association = resource.getAnnotation(RestLiAssociation.class);
      if (collection != null) {
        names.add(collection.name());
      } else if (simple != null) {
        names.add(simple.name());
      } else if (actions != null) {
        names.add(actions.name());
      } else if (association != null) {
        names.add(association.name());
      }
    }
    return names;
  }

  private static TextHandler.Page ready(Readiness readiness) {
    List<String> missing = readiness.missing();
    return missing.isEmpty() ? text(200, "ready\n") : text(503, String.join("\n", missing) + "\n");
  }

  private static TextHandler.Page metrics(Metrics metrics) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
      writer.write(out, metrics.registry().scrape());
      return new TextHandler.Page(200, writer.getContentType(), out.toByteArray());
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory failed", impossible);
    }
  }

  private static TextHandler.Page text(int status, String text) {
    return new TextHandler.Page(
        status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }
}
