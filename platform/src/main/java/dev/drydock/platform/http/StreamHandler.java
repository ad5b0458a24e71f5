package dev.drydock.platform.http;

import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.rounds.DutyLoop;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.component.Graceful;

/**
 * Server-sent events. No stream keeps a thread: one is borrowed when there is something to send.
 * When the server stops, all streams end and no new ones begin.
 */
final class StreamHandler extends Handler.Abstract implements Graceful {
  private static final int STREAMS_MAX = 1000;
  private static final String LAST_EVENT_ID = "Last-Event-ID";

  private final StreamRoute route;
  private final StreamPace pace;
  private final Set<StreamConnection> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService sending = Executors.newVirtualThreadPerTaskExecutor();
  private final DutyLoop dutyLoop = new DutyLoop("streams");
  private volatile boolean stopping;

  StreamHandler(StreamRoute route, StreamPace pace) {
    this.route = route;
    this.pace = pace;
    dutyLoop.every(
        pace.heartbeat(),
        "look after streams",
        () -> open.forEach(connection -> connection.tick(pace)));
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!request.getHttpURI().getPath().equals(route.path())) {
      return false;
    }
    try {
      if (request.getMethod().equals("GET")) {
        begin(request, response, callback);
      } else {
        response.getHeaders().put(HttpHeader.ALLOW, "GET");
        ErrorBody.of(
                HttpStatus.METHOD_NOT_ALLOWED,
                "METHOD_NOT_ALLOWED",
                route.path() + " can only be read.")
            .write(response, callback);
      }
    } catch (RuntimeException refused) {
      ErrorMapping.body(refused).write(response, callback);
    }
    return true;
  }

  private void begin(Request request, Response response, Callback callback) {
    if (!(request.getAttribute(Caller.ATTRIBUTE) instanceof Principal caller)) {
      throw new IllegalStateException("a stream was asked for without a principal");
    }
    AccessFilter.require(caller, route.allowed(), "reading " + route.path());
    if (stopping || open.size() >= STREAMS_MAX) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
      throw new ApiException(
          HttpStatus.UNAVAILABLE,
          "BUSY",
          stopping
              ? "The server is stopping; come back in a second."
              : "The server has " + STREAMS_MAX + " streams open; try again in a second.",
          List.of());
    }
    Optional<String> lastEventId = Optional.ofNullable(request.getHeaders().get(LAST_EVENT_ID));
    StreamSource.OpenStream stream =
        route.source().open(new StreamSource.Wish(parameters(request), lastEventId));
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    StreamConnection connection =
        new StreamConnection(response, callback, stream, sending, open::remove);
    open.add(connection);
    connection.begin();
    if (stopping) {
      connection.finish();
    }
  }

  private static Map<String, List<String>> parameters(Request request) {
    try {
      return Request.extractQueryParameters(request).stream()
          .collect(Collectors.toMap(Fields.Field::getName, Fields.Field::getValues));
    } catch (RuntimeException malformed) {
      throw new ApiException(
          HttpStatus.BAD_REQUEST, "BAD_URI", "The query is not correctly encoded.", List.of());
    }
  }

  @Override
  public CompletableFuture<Void> shutdown() {
    stopping = true;
    open.forEach(StreamConnection::finish);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean isShutdown() {
    return stopping;
  }

  @Override
  protected void doStop() throws Exception {
    dutyLoop.close();
    super.doStop();
  }
}
