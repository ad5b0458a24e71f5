package dev.drydock.adapter.staticlist;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests through the balancer without any retry; everything but a complete 200 counts as failed.
 */
final class Traffic implements AutoCloseable {
  private static final int CLIENTS = 8;

  final AtomicInteger answered = new AtomicInteger();
  final AtomicInteger failed = new AtomicInteger();
  private final URI target;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean over;

  Traffic(URI target, long seed) {
    this.target = target;
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(seed + i);
      threads.add(Thread.ofVirtual().start(() -> send(random)));
    }
  }

  private void send(Random random) {
    while (!over) {
      // Some requests last for seconds: those are the ones a careless drain cuts off.
      int millis = random.nextInt(50) == 0 ? 3000 + random.nextInt(2000) : random.nextInt(30);
      (ask(target, millis) ? answered : failed).incrementAndGet();
    }
  }

  /** One request on a connection of its own; whether it was answered completely. */
  static boolean ask(URI target, int millis) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(target.getHost(), target.getPort()), 2000);
      socket.setSoTimeout(15_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("GET /?ms=" + millis + " HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      String answer = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      int body = answer.indexOf("\r\n\r\n") + 4;
      String length = answer.replaceFirst("(?is).*\r\ncontent-length: (\\d+)\r\n.*", "$1");
      return answer.startsWith("HTTP/1.1 200 ")
          && answer.length() - body == Integer.parseInt(length);
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }

  @Override
  public void close() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
