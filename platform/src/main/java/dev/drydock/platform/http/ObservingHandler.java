package dev.drydock.platform.http;

import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs every request when it is over; refused and slow ones stand out. */
final class ObservingHandler extends Handler.Wrapper {
  private static final Logger log = LoggerFactory.getLogger("dev.drydock.access");
  private static final long SLOW_MILLIS = 2000;

  private final Metrics metrics;
  private final Set<String> resources;

  ObservingHandler(Metrics metrics, Set<String> resources, Handler next) {
    super(next);
    this.metrics = metrics;
    this.resources = Set.copyOf(resources);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    long begin = System.nanoTime();
    Request.addCompletionListener(
        request, failure -> observe(request, response, System.nanoTime() - begin));
    return super.handle(request, response, callback);
  }

  private void observe(Request request, Response response, long nanos) {
    int status = response.getStatus();
    String path = request.getHttpURI().getPath();
    metrics
        .httpRequestSeconds
        .labelValues(resource(path), String.valueOf(status))
        .observe(nanos / 1e9);
    long millis = Duration.ofNanos(nanos).toMillis();
    Object caller = request.getAttribute(Caller.ATTRIBUTE);
    String name = caller instanceof Principal principal ? principal.name() : "-";
    log.atLevel(
            status >= 400 || (millis >= SLOW_MILLIS && !waitsOnPurpose(request, response))
                ? org.slf4j.event.Level.INFO
                : org.slf4j.event.Level.DEBUG)
        .log("{} {} {} by {} in {} ms", request.getMethod(), path, status, name, millis);
  }

  /** A long poll or a stream takes the time it was asked to take. */
  private static boolean waitsOnPurpose(Request request, Response response) {
    String query = request.getHttpURI().getQuery();
    return (query != null && query.contains("waitMillis="))
        || "text/event-stream".equals(response.getHeaders().get(HttpHeader.CONTENT_TYPE));
  }

  /** Only names we know: a label must not take whatever a client writes into its path. */
  private String resource(String path) {
    String[] parts = path.split("/", 4);
    String name = parts.length > 2 && parts[1].equals("api") ? parts[2] : path.substring(1);
    return resources.contains(name) ? name : "other";
  }
}
