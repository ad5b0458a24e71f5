package dev.drydock.platform.store;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** A database of its own on the PostgreSQL of this checkout, dropped at the end. */
final class TestDatabase implements AutoCloseable {
  private final String name = "platform_" + UUID.randomUUID().toString().replace("-", "");
  private final Jdbi server;
  private final PostgresConfig config;

  TestDatabase() throws IOException {
    Path state = state();
    Map<String, Object> instance = Json.readTree(Files.readString(state.resolve("instance.json")));
    Object port = instance.get("ports") instanceof Map<?, ?> ports ? ports.get("postgres") : null;
    String url = "jdbc:postgresql://127.0.0.1:" + port + "/";
    String password = Files.readString(state.resolve("pg/secret/postgres")).strip();
    server = Jdbi.create(url + "postgres", "postgres", password);
    server.useHandle(handle -> handle.execute("CREATE DATABASE " + name));
    config = new PostgresConfig(url + name, "postgres", password);
  }

  PostgresConfig config() {
    return config;
  }

  /** Ends every connection of the listeners, as a restart of the server would. */
  void breakListeners() {
    server.useHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = :name AND application_name = 'drydock-listener'
                    """)
                .bind("name", name)
                .mapTo(Boolean.class)
                .list());
  }

  @Override
  public void close() {
    server.useHandle(handle -> handle.execute("DROP DATABASE " + name + " WITH (FORCE)"));
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
