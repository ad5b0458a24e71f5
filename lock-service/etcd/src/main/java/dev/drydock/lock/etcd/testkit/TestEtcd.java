package dev.drydock.lock.etcd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A real etcd for tests, private to this JVM, from the binary {@code make up} builds (or {@code
 * DRYDOCK_ETCD}). Started once, gone with the JVM.
 */
public final class TestEtcd implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

  private static Optional<TestEtcd> shared = Optional.empty();

  private final List<String> command;
  private final Path data;
  private final URI endpoint;
  private Process process;

  private TestEtcd(List<String> command, Path data, URI endpoint) throws IOException {
    this.command = command;
    this.data = data;
    this.endpoint = endpoint;
    this.process = launch();
  }

  private Process launch() throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(data.resolve("log").toFile()))
        .start();
  }

  /** The one with the operations per transaction that Drydock needs. */
  public static synchronized TestEtcd shared() {
    if (shared.isEmpty()) {
      TestEtcd started = start("--max-txn-ops=4096");
      Runtime.getRuntime().addShutdownHook(new Thread(started::close));
      shared = Optional.of(started);
    }
    return shared.get();
  }

  /** Another one, started with these options besides. */
  public static TestEtcd start(String... options) {
    return startIn(Path.of(System.getProperty("java.io.tmpdir")), options);
  }

  /** Another one, whose data are in a new folder below {@code parent} while it runs. */
  public static TestEtcd startIn(Path parent, String... options) {
    try {
      Path data = Files.createTempDirectory(parent.toAbsolutePath(), "drydock-etcd-");
      int client = freePort();
      int peer = freePort();
      List<String> command =
          new ArrayList<>(
              List.of(
                  binary().toString(),
                  "--name=test",
                  "--data-dir=" + data.resolve("data"),
                  "--listen-client-urls=http://127.0.0.1:" + client,
                  "--advertise-client-urls=http://127.0.0.1:" + client,
                  "--listen-peer-urls=http://127.0.0.1:" + peer,
                  "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                  "--initial-cluster=test=http://127.0.0.1:" + peer,
                  "--log-level=warn"));
      command.addAll(List.of(options));
      TestEtcd etcd = new TestEtcd(command, data, URI.create("http://127.0.0.1:" + client));
      etcd.awaitAnswer(client);
      return etcd;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** A copy of all it has, taken while it stands still for a moment. */
  public Path copy() {
    return whileStopped(
        () -> {
          Path copy = data.resolve("copy");
          copyTree(data.resolve("data"), copy);
          return copy;
        });
  }

  /** It has what a copy has, and nothing else, as after a restore. */
  public void putBack(Path copy) {
    whileStopped(
        () -> {
          deleteTree(data.resolve("data"));
          copyTree(copy, data.resolve("data"));
          return copy;
        });
  }

  private interface Change {
    Path carryOut() throws IOException;
  }

  private Path whileStopped(Change change) {
    try {
      stop();
      Path result = change.carryOut();
      process = launch();
      awaitAnswer(endpoint.getPort());
      return result;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while etcd was stopped", stop);
    }
  }

  private static void copyTree(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static void deleteTree(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    }
  }

  private void stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  /** Where its clients connect. */
  public URI endpoint() {
    return endpoint;
  }

  /** Its process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  private void awaitAnswer(int port) {
    long end = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!answers(port)) {
      if (System.nanoTime() - end > 0) {
        close();
        throw new IllegalStateException("etcd does not answer, see " + data.resolve("log"));
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private boolean answers(int port) {
    if (!process.isAlive()) {
      throw new IllegalStateException("etcd ended at once, see " + data.resolve("log"));
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static Path binary() throws IOException {
    String named = System.getenv("DRYDOCK_ETCD");
    if (named != null) {
      return Path.of(named);
    }
    String home = System.getenv("XDG_CACHE_HOME");
    Path cache =
        (home == null || home.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(home))
            .resolve("drydock");
    try (Stream<Path> cached = Files.isDirectory(cache) ? Files.list(cache) : Stream.empty()) {
      return cached
          .filter(directory -> directory.getFileName().toString().startsWith("etcd-"))
          .map(directory -> directory.resolve("etcd"))
          .filter(Files::isExecutable)
          .max(Comparator.naturalOrder())
          .orElseThrow(
              () ->
                  new IllegalStateException(
                      "no etcd in " + cache + ": run `make up` once, or set DRYDOCK_ETCD"));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    try {
      stop();
      deleteTree(data);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }
}
