package dev.drydock.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers calls on loopback from what a test put in: per call a list of answers, of which the last
 * one stays.
 */
final class FakeServer implements AutoCloseable {
  private record Reply(int status, String body, String id, Duration after) {
    Reply(int status, String body, String id) {
      this(status, body, id, Duration.ZERO);
    }
  }

  private final HttpServer server;
  private final Map<String, Deque<Reply>> replies = new ConcurrentHashMap<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();

  FakeServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  /** One for a field. */
  static FakeServer open() {
    try {
      return new FakeServer();
    } catch (IOException taken) {
      throw new UncheckedIOException("no port for a server", taken);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /**
   * Adds an answer to calls such as "GET rollouts/r1", without the query unless it names an action.
   */
  FakeServer on(String call, int status, String body) {
    replies.computeIfAbsent(call, key -> new ArrayDeque<>()).add(new Reply(status, body, ""));
    return this;
  }

  /** The only page of a list. */
  static String list(String... elements) {
    return String.format(
        "{\"elements\":[%s],\"paging\":{\"total\":%d}}",
        String.join(",", elements), elements.length);
  }

  FakeServer created(String call, String id) {
    replies.computeIfAbsent(call, key -> new ArrayDeque<>()).add(new Reply(201, "", id));
    return this;
  }

  /** The same, answered as late as this. */
  FakeServer created(String call, String id, Duration after) {
    replies.computeIfAbsent(call, key -> new ArrayDeque<>()).add(new Reply(201, "", id, after));
    return this;
  }

  List<String> calls() {
    return calls;
  }

  /** What was asked for, with its query. */
  List<String> paths() {
    return paths;
  }

  List<String> bodies() {
    return bodies;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString().substring("/api/".length());
    String call =
        exchange.getRequestMethod()
            + " "
            + (path.contains("action=") ? path : path.replaceFirst("\\?.*", ""));
    calls.add(call);
    paths.add(path);
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    Reply reply = next(call);
    LockSupport.parkNanos(reply.after().toNanos());
    if (!reply.id().isEmpty()) {
      exchange.getResponseHeaders().add("X-RestLi-Id", reply.id());
    }
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private synchronized Reply next(String call) {
    Deque<Reply> left = replies.getOrDefault(call, new ArrayDeque<>());
    if (left.isEmpty()) {
      return new Reply(404, "{\"code\":\"NOT_FOUND\",\"message\":\"nothing at " + call + "\"}", "");
    }
    return left.size() == 1 ? left.getFirst() : left.removeFirst();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
