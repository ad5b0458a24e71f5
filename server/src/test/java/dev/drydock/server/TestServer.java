package dev.drydock.server;

import dev.drydock.proto.Json;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;

/**
 * The real program on this checkout's stores, with a database, a root of keys and a task queue of
 * its own.
 */
final class TestServer implements AutoCloseable {
  static final String ADMIN_TOKEN = "token-of-the-administrator";

  private final String name = "server_" + UUID.randomUUID().toString().replace("-", "");
  private final Path folder;
  private final Jdbi postgres;
  private final int port;
  private final Path config;
  private Optional<Process> process = Optional.empty();

  TestServer(Path folder) throws IOException {
    this.folder = folder;
    Path state = state();
    Map<String, Object> instance = Json.readTree(Files.readString(state.resolve("instance.json")));
    Map<?, ?> ports = instance.get("ports") instanceof Map<?, ?> known ? known : Map.of();
    Path password = state.resolve("pg/secret/postgres");
    String url = "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/";
    postgres = Jdbi.create(url + "postgres", "postgres", Files.readString(password).strip());
    postgres.useHandle(handle -> handle.execute("CREATE DATABASE " + name));
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path tokens =
        Files.writeString(
            folder.resolve("tokens.json"),
            Json.writeTree(
                Map.of(
                    "principals",
                    List.of(
                        Map.of(
                            "name",
                            "admin",
                            "team",
                            "t",
                            "role",
                            "admin",
                            "token",
                            ADMIN_TOKEN)))));
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    config =
        Files.writeString(
            folder.resolve("server.yaml"),
            """
            http: {host: 127.0.0.1, port: %d}
            postgres: {url: "%s", user: postgres, passwordFile: "%s"}
            etcd: {endpoints: ["http://127.0.0.1:%s"], maxTxnOps: 4096, root: "/%s/"}
            temporal: {target: "127.0.0.1:%s", taskQueue: "%s"}
            tokensFile: tokens.json
            """
                .formatted(
                    port,
                    url + name,
                    password,
                    ports.get("etcd"),
                    name,
                    ports.get("temporal"),
                    name));
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
                "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--config",
                config.toString()));
    command.addAll(List.of(arguments));
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
    process = Optional.of(started);
    return started;
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isPresent()) {
      process.get().destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    postgres.useHandle(handle -> handle.execute("DROP DATABASE " + name + " WITH (FORCE)"));
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
