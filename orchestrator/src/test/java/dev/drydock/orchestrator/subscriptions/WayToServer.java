package dev.drydock.orchestrator.subscriptions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A stable address in front of a server that may be started anew elsewhere, and a line on which
 * answers get lost.
 */
final class WayToServer implements AutoCloseable {
  private final HttpServer front;
  private final Supplier<URI> server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger acksToLose = new AtomicInteger();
  private final AtomicInteger acks = new AtomicInteger();

  WayToServer(Supplier<URI> server) {
    this.server = server;
    try {
      front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException noPort) {
      throw new UncheckedIOException("no free loopback port", noPort);
    }
    front.createContext("/", this::pass);
    front.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    front.start();
  }

  String url() {
    return "http://127.0.0.1:" + front.getAddress().getPort();
  }

  /** The server hears the next acknowledgements, but its caller hears no answer. */
  void loseAnswersToAcks(int number) {
    acksToLose.set(number);
  }

  /** How many acknowledgements the server answered. */
  int acks() {
    return acks.get();
  }

  private void pass(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.get() + path))
            .method(
                exchange.getRequestMethod(),
                HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
    for (String header :
        new String[] {"Authorization", "Content-Type", "X-RestLi-Protocol-Version"}) {
      String value = exchange.getRequestHeaders().getFirst(header);
      if (value != null) {
        request.header(header, value);
      }
    }
    try {
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      boolean ack = path.endsWith("action=ack");
      if (ack) {
        acks.incrementAndGet();
      }
      if (!ack || acksToLose.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        byte[] body = answer.body();
        exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  @Override
  public void close() {
    front.stop(0);
    client.shutdownNow();
  }
}
