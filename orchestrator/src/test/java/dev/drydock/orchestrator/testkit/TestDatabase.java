package dev.drydock.orchestrator.testkit;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * A database of its own on the PostgreSQL of this checkout's stack, with the schema in it; dropped
 * at the end.
 */
public final class TestDatabase implements AutoCloseable {
  private final String name = "orchestrator_" + UUID.randomUUID().toString().replace("-", "");
  private final Jdbi server;
  private final Database database;

  public TestDatabase() {
    Path state = stateDirectory();
    Map<?, ?> ports = (Map<?, ?>) Json.readTree(read(state.resolve("instance.json"))).get("ports");
    String url = "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/";
    String password = read(state.resolve("pg/secret/postgres"));
    server = Jdbi.create(url + "postgres", "postgres", password);
    server.useHandle(handle -> handle.execute("CREATE DATABASE " + name));
    database = Database.open(new PostgresConfig(url + name, "postgres", password));
  }

  public Database database() {
    return database;
  }

  public Jdbi jdbi() {
    return database.jdbi();
  }

  @Override
  public void close() {
    database.close();
    server.useHandle(handle -> handle.execute("DROP DATABASE " + name + " WITH (FORCE)"));
  }

  private static Path stateDirectory() {
    String given = System.getProperty("drydock.instance", "");
    if (!given.isEmpty()) {
      return Path.of(given).toAbsolutePath().getParent();
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".drydock/instance.json"))) {
        return at.resolve(".drydock");
      }
    }
    throw new IllegalStateException("no .drydock/instance.json here or above: run make up first");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + file, unreadable);
    }
  }
}
