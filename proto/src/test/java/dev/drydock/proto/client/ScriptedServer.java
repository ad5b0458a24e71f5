package dev.drydock.proto.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** An HTTP server on loopback that answers from a script, in order, and keeps what it was asked. */
final class ScriptedServer implements AutoCloseable {
  /** What was asked: the request line below /api/, its headers and its body. */
  record Request(String method, String path, Map<String, List<String>> headers, String body) {
    String header(String name) {
      return String.join(",", headers.getOrDefault(name, List.of()));
    }
  }

  /** One entry of the script. */
  sealed interface Step {
    record Reply(int status, String body, Map<String, String> headers) implements Step {}

    /** Hears the request and hangs up without an answer. */
    record HangUp() implements Step {}

    /** Sends the headers and never the body. */
    record Stall() implements Step {}
  }

  private final HttpServer server;
  private final Queue<Step> script = new ArrayDeque<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  ScriptedServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  ScriptedServer reply(int status, String body) {
    return then(new Step.Reply(status, body, Map.of()));
  }

  ScriptedServer created(String id) {
    return then(new Step.Reply(201, "", Map.of("X-RestLi-Id", id)));
  }

  synchronized ScriptedServer then(Step step) {
    script.add(step);
    return this;
  }

  List<Request> requests() {
    return requests;
  }

  private synchronized Step next() {
    Step step = script.poll();
    return step == null
        ? new Step.Reply(500, "{\"message\":\"the script is over\"}", Map.of())
        : step;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().toString().substring("/api/".length());
    requests.add(
        new Request(
            exchange.getRequestMethod(), path, Map.copyOf(exchange.getRequestHeaders()), body));
    switch (next()) {
      case Step.Reply reply -> {
        reply.headers().forEach(exchange.getResponseHeaders()::add);
        byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
      }
      case Step.HangUp() -> exchange.close();
      case Step.Stall() -> {
        exchange.sendResponseHeaders(200, 100);
        exchange.getResponseBody().flush();
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
