package dev.drydock.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams towards clients that read, that do not, and that may not. */
final class StreamTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final int FRAME_BYTES = 64 * 1024;

  /** More than the kernel keeps for a connection on loopback. */
  private static final int FRAMES_MANY = 64 * 1024 * 1024 / FRAME_BYTES;

  private final ScriptedSource source = new ScriptedSource();
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private Role role = Role.VIEWER;

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  @Test
  void sendsWhatComesAndShowsThatItLivesWhileNothingDoes() throws Exception {
    serve(new StreamPace(Duration.ofMillis(50), NEVER, NEVER));
    try (Client client = new Client("/api/stream?a=1&a=2&b=%C3%A9", "Last-Event-ID: 7")) {
      assertThat(client.head()).contains("200").contains("text/event-stream");
      assertThat(client.line()).as("heard at once").isEqualTo(":");
      source.offer("8", "x");
      client.until("id: 8");
      assertThat(client.line()).isEqualTo("event: Rung");
      assertThat(client.line()).isEqualTo("data: x");
      assertThat(client.line()).isEmpty();
      client.until(":");
      source.offer("9", "y");
      client.until("id: 9");
      assertThat(source.wishes)
          .singleElement()
          .satisfies(
              wish -> {
                assertThat(wish.lastEventId()).contains("7");
                assertThat(wish.values("a")).containsExactly("1", "2");
                assertThat(wish.values("b")).containsExactly("é");
              });
    }
    until(() -> source.open.get() == 0, "a client that is gone is noticed by its heartbeat");
  }

  @Test
  void dropsAClientThatDoesNotRead() throws Exception {
    serve(new StreamPace(Duration.ofMillis(50), Duration.ofMillis(300), NEVER));
    source.endless.set(true);
    try (Client client = new Client("/api/stream")) {
      until(() -> source.taken.get() > 0, "it is served");
      until(() -> source.open.get() == 0, "it is dropped");
      assertThat(source.taken.get())
          .as("frames taken for it, the rest was never asked for")
          .isLessThan(FRAMES_MANY);
    }
  }

  /** The control: without a limit of patience it stays, however often the timer ticks. */
  @Test
  void keepsItWhenPatienceIsEndless() throws Exception {
    serve(new StreamPace(Duration.ofMillis(50), NEVER, NEVER));
    source.endless.set(true);
    try (Client client = new Client("/api/stream")) {
      AtomicInteger before = new AtomicInteger(-1);
      until(() -> source.taken.get() > 0, "it is served");
      until(() -> before.getAndSet(source.taken.get()) == source.taken.get(), "nothing more fits");
      int taken = source.taken.get();
      assertThat(source.open.get()).isEqualTo(1);
      assertThat(taken).isLessThan(FRAMES_MANY);
    }
  }

  @Test
  void endsStreamsInOrderWhenTheServerStops() throws Exception {
    serve(new StreamPace(NEVER, NEVER, NEVER));
    try (Client client = new Client("/api/stream")) {
      source.offer("1", "x");
      client.until("id: 1");
      server.stop();
      client.untilEnd();
      assertThat(source.open.get()).isZero();
    }
  }

  @Test
  void letsAClientShowItsTokenAgainAfterALifetime() throws Exception {
    serve(new StreamPace(Duration.ofMillis(50), NEVER, Duration.ofMillis(200)));
    try (Client client = new Client("/api/stream")) {
      client.untilEnd();
      assertThat(source.open.get()).isZero();
    }
  }

  @Test
  void aSourceThatFailsEndsItsStreamOnly() throws Exception {
    serve(StreamPace.DEFAULT);
    try (Client client = new Client("/api/stream")) {
      client.head();
      source.fails.set(true);
      source.offer("1", "x");
      client.untilEnd();
    }
    source.fails.set(false);
    try (Client client = new Client("/api/stream")) {
      source.offer("2", "y");
      client.until("id: 2");
    }
  }

  @Test
  void refusesRolesItIsNotOpenTo() throws Exception {
    role = Role.CONSUMER;
    serve(StreamPace.DEFAULT);
    try (Client client = new Client("/api/stream", "Connection: close")) {
      assertThat(client.head()).contains("403");
      client.until(
          "{\"code\":\"ROLE_NOT_ALLOWED\",\"details\":[],\"message\":\"reading /api/stream needs role"
              + " viewer; someone has role consumer.\",\"status\":403}");
    }
    assertThat(source.wishes).isEmpty();
    role = Role.ADMIN;
    try (Client client = new Client("/api/stream")) {
      assertThat(client.head()).contains("200");
    }
  }

  private void serve(StreamPace pace) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setStopTimeout(PATIENCE.toMillis());
    server.setHandler(
        new GracefulHandler(
            new Handler.Wrapper(
                new StreamHandler(
                    new StreamRoute("/api/stream", Set.of(Role.VIEWER), source), pace)) {
              @Override
              public boolean handle(Request request, Response response, Callback callback)
                  throws Exception {
                request.setAttribute(
                    Caller.ATTRIBUTE, new Principal("someone", "sre", role, Set.of()));
                return super.handle(request, response, callback);
              }
            }));
    server.start();
  }

  private static void until(BooleanSupplier condition, String what) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  /** Gives what a test offers, or frames without end. */
  private static final class ScriptedSource implements StreamSource {
    final List<Wish> wishes = new ArrayList<>();
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger taken = new AtomicInteger();
    final AtomicBoolean endless = new AtomicBoolean();
    final AtomicBoolean fails = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Frame> offered = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Runnable waiting;

    void offer(String id, String data) {
      offered.add(new Frame(id, "Rung", data));
      Runnable ready = waiting;
      if (ready != null) {
        ready.run();
      }
    }

    @Override
    public OpenStream open(Wish wish) {
      wishes.add(wish);
      open.incrementAndGet();
      return new OpenStream() {
        @Override
        public List<Frame> next(Runnable ready) {
          if (endless.get()) {
            String id = String.valueOf(taken.incrementAndGet());
            return List.of(new Frame(id, "Rung", "x".repeat(FRAME_BYTES)));
          }
          waiting = ready;
          if (fails.get()) {
            throw new IllegalStateException("the source is broken, on purpose");
          }
          Frame frame = offered.poll();
          return frame == null ? List.of() : List.of(frame);
        }

        @Override
        public void close() {
          open.decrementAndGet();
        }
      };
    }
  }

  /** A client that reads when it is told to and not before. */
  private final class Client implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader lines;

    Client(String path, String... headers) throws IOException {
      socket.setReceiveBufferSize(8 * 1024);
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: x\r\n"
              + String.join("\r\n", headers)
              + (headers.length == 0 ? "\r\n" : "\r\n\r\n");
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Status line and headers. */
    String head() throws IOException {
      StringBuilder head = new StringBuilder();
      for (String line = read(); !line.isEmpty(); line = read()) {
        head.append(line).append('\n');
      }
      return head.toString();
    }

    /** The next line of the body, without the sizes of its chunks. */
    String line() throws IOException {
      String line = read();
      while (line.matches("[0-9A-F]+")) {
        line = read();
      }
      return line;
    }

    void until(String wanted) throws IOException {
      String line = read();
      while (!line.equals(wanted)) {
        line = read();
      }
    }

    /** The last chunk, which only a stream that ends in order has. */
    void untilEnd() throws IOException {
      until("0");
    }

    private String read() throws IOException {
      String line = lines.readLine();
      if (line == null) {
        throw new IOException("the connection ended");
      }
      return line;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
