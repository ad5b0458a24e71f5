package dev.drydock.orchestrator.subscriptions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A team's own server on loopback: takes whatever is posted and keeps it. */
final class LocalReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<Taken> taken = new CopyOnWriteArrayList<>();

  /** One POST. */
  record Taken(String id, Optional<String> signature, String body) {
    Map<String, Object> tree() {
      return Json.readTree(body);
    }

    String told() {
      return tree().get("event") + " " + tree().getOrDefault("host", tree().get("rollout"));
    }
  }

  LocalReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException noPort) {
      throw new UncheckedIOException("no free loopback port", noPort);
    }
    server.createContext("/", this::take);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    taken.add(
        new Taken(
            String.valueOf(exchange.getRequestHeaders().getFirst("Drydock-Id")),
            Optional.ofNullable(exchange.getRequestHeaders().getFirst("Drydock-Signature")),
            body));
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  List<Taken> taken() {
    return List.copyOf(taken);
  }

  /** Each as "Event host", in the order of arrival, repeated ones left out by their id. */
  List<String> told() {
    return taken.stream()
        .map(one -> Map.entry(one.id(), one.told()))
        .distinct()
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
