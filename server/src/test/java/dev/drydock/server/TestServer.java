package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.testkit.TemplateDatabase;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/**
 * The real program on this checkout's stores, with a database, a root of keys and a task queue of
 * its own.
 */
final class TestServer implements AutoCloseable {
  static final long READY_SECONDS = 120;
  static final String ADMIN_TOKEN = "token-of-the-administrator";

  /** Of a consumer of the topic shard-approvals and nothing else. */
  static final String CONTROLLER_TOKEN = "token-of-a-team's-controller";

  private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

  private final String name = "server_" + UUID.randomUUID().toString().replace("-", "");
  private final Path folder;
  private final String url;
  private final String secret;
  private final PostgresConfig postgres;
  private final int port;
  private final String temporal;
  private final Path config;
  private String compilers = "-XX:TieredStopAtLevel=1";
  private String crashAt = "";
  private Optional<Process> process = Optional.empty();

  TestServer(Path folder) throws IOException {
    this.folder = folder;
    Path state = state();
    Map<String, Object> instance = Json.readTree(Files.readString(state.resolve("instance.json")));
    Map<?, ?> ports = instance.get("ports") instanceof Map<?, ?> known ? known : Map.of();
    Path password = state.resolve("pg/secret/postgres");
    url = "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/";
    secret = Files.readString(password).strip();
    postgres = new PostgresConfig(url, "postgres", secret);
    TemplateDatabase.copy(postgres, name);
    port = freePort();
    temporal = "127.0.0.1:" + ports.get("temporal");
    Path tokens =
        Files.writeString(
            folder.resolve("tokens.json"),
            Json.writeTree(
                Map.of(
                    "principals",
                    List.of(
                        Map.of("name", "admin", "team", "t", "role", "admin", "token", ADMIN_TOKEN),
                        Map.of(
                            "name",
                            "shards",
                            "team",
                            "search",
                            "role",
                            "consumer",
                            "topics",
                            List.of("shard-approvals"),
                            "token",
                            CONTROLLER_TOKEN)))));
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    config =
        Files.writeString(
            folder.resolve("server.yaml"),
            """
            http: {host: 127.0.0.1, port: %d}
            postgres: {url: "%s", user: postgres, passwordFile: "%s"}
            etcd: {endpoints: ["http://127.0.0.1:%s"], maxTxnOps: 4096, root: "/%s/"}
            temporal: {target: "%s", taskQueue: "%s"}
            tokensFile: tokens.json
            preflight: {openMax: 0}
            """
                .formatted(port, url + name, password, ports.get("etcd"), name, temporal, name));
  }

  /** As the stack starts it, with both compilers: only a long life makes that worthwhile. */
  TestServer forLong() {
    compilers = "-XX:+UseSerialGC";
    return this;
  }

  /** It dies where a test says, and what a dead one had is soon anybody's. */
  TestServer mortal() throws IOException {
    Files.createDirectories(folder.resolve("run"));
    Files.writeString(
        config,
        "jobLeaseSeconds: 3\njobMarginSeconds: 1\ngrantorLeaseSeconds: 2\n",
        StandardOpenOption.APPEND);
    crashAt = "ordered";
    return this;
  }

  /** It dies the next time it comes to this crash point. */
  void dieAt(String point) {
    try {
      Path order = Files.writeString(folder.resolve("order"), "die");
      Files.move(order, folder.resolve("run/crash-order-" + point));
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  /** Whether it came to a crash point and died there. */
  boolean died(String point) {
    return Files.exists(folder.resolve("run/crash-met-" + point))
        && !process.orElseThrow().isAlive();
  }

  /** Nothing is ordered any more, nor known of what was. */
  void forgetDeaths() throws IOException {
    try (Stream<Path> orders = Files.list(folder.resolve("run"))) {
      for (Path order : orders.toList()) {
        Files.delete(order);
      }
    }
  }

  /** Where Temporal serves it, HOST:PORT. */
  String temporal() {
    return temporal;
  }

  /** Its database. */
  Jdbi database() {
    return Jdbi.create(url + name, "postgres", secret);
  }

  int port() {
    return port;
  }

  Path log() {
    return folder.resolve("server.log");
  }

  /** Starts the program with these arguments after its configuration. */
  Process start(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                compilers,
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--config",
                config.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log().toFile());
    builder.environment().put("DRYDOCK_CRASH_AT", crashAt);
    Process started = builder.start();
    process = Optional.of(started);
    return started;
  }

  /** Starts it again when it dies, as whatever watches over it would, until it can work. */
  void startUntilReady(String... arguments) throws Exception {
    for (int attempt = 0; attempt < 5; attempt++) {
      start(arguments);
      if (comesUp()) {
        return;
      }
      kill(); // One that is only slow would keep the port, and outlive the test.
    }
    throw new AssertionError("dies again and again: " + Files.readString(log()));
  }

  /** Waits until the program started last says that it can work. */
  void untilReady() throws Exception {
    assertThat(comesUp()).as(Files.readString(log())).isTrue();
  }

  private boolean comesUp() throws Exception {
    Process started = process.orElseThrow();
    long end = System.nanoTime() + Duration.ofSeconds(READY_SECONDS).toNanos();
    while (System.nanoTime() < end && started.isAlive()) {
      try {
        if (send("GET", "/readyz").statusCode() == 200) {
          return true;
        }
      } catch (IOException notYet) {
        assertThat(notYet).isInstanceOf(java.net.ConnectException.class);
      }
      started.waitFor(200, TimeUnit.MILLISECONDS);
    }
    return false;
  }

  /** One call as the administrator, without a body. */
  HttpResponse<String> send(String method, String path) throws Exception {
    return send(ADMIN_TOKEN, method, path, "");
  }

  /** One call by whoever has the token; an empty body is none. */
  HttpResponse<String> send(String token, String method, String path, String body)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(address(path))
              .timeout(Duration.ofSeconds(20))
              .method(
                  method,
                  body.isEmpty()
                      ? HttpRequest.BodyPublishers.noBody()
                      : HttpRequest.BodyPublishers.ofString(body))
              .header("Authorization", "Bearer " + token)
              .header("X-RestLi-Protocol-Version", "2.0.0")
              .header("Content-Type", "application/json")
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  URI address(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  /** kill -9, as the kernel or an operator would. */
  void kill() throws InterruptedException {
    process.orElseThrow().destroyForcibly().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isPresent()) {
      process.get().destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    TemplateDatabase.drop(postgres, name);
  }

  /**
   * Not one the system gives to connections: a client that knocks while the server is down could be
   * given the server's port and find itself there. Nor one of another server of these tests, which
   * may be about to take it.
   */
  private static int freePort() throws IOException {
    for (int attempt = 0; ; attempt++) {
      int candidate = ThreadLocalRandom.current().nextInt(10_000, 32_768);
      if (!PORTS.add(candidate)) {
        continue;
      }
      try (ServerSocket free = new ServerSocket(candidate)) {
        return free.getLocalPort();
      } catch (BindException taken) {
        if (attempt == 100) {
          throw taken;
        }
      }
    }
  }

  private static Path state() {
    String given = System.getProperty("drydock.instance", "");
    if (!given.isEmpty()) {
      return Path.of(given).toAbsolutePath().resolveSibling("");
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".drydock/instance.json"))) {
        return at.resolve(".drydock");
      }
    }
    throw new IllegalStateException("no .drydock/instance.json here or above: run make up first");
  }
}
