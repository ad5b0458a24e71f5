package dev.drydock.platform.testkit;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * A database of its own, with all migrations, on the checkout's PostgreSQL; gone when closed. For
 * tests tagged {@code stack}: {@code python3 tools/stack up --only postgres} has to have run.
 */
public final class TestDatabase implements AutoCloseable {
  private final String name = "test_" + UUID.randomUUID().toString().replace("-", "");
  private final PostgresConfig server;
  private final Database database;

  private TestDatabase(String settings) {
    server = server();
    TemplateDatabase.copy(server, name);
    PostgresConfig own = TemplateDatabase.database(server, name);
    String url = own.url() + "?ApplicationName=" + name + settings;
    database = Database.openMigrated(new PostgresConfig(url, own.user(), own.password()));
  }

  /**
   * Creates it.
   *
   * @throws IllegalStateException if the checkout has no stack
   */
  public static TestDatabase create() {
    return new TestDatabase("");
  }

  /** Creates one of which the server writes every statement down, for {@link #log}. */
  public static TestDatabase createLogged() {
    return new TestDatabase("&options=-c%20log_statement=all");
  }

  private static PostgresConfig server() {
    Path state = stateDirectory();
    try {
      Map<String, Object> instance =
          Json.readTree(Files.readString(state.resolve("instance.json")));
      if (!(instance.get("ports") instanceof Map<?, ?> ports)) {
        throw new IllegalStateException("instance.json names no ports");
      }
      return new PostgresConfig(
          "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/",
          "postgres",
          Files.readString(state.resolve("pg/secret/postgres")).strip());
    } catch (IOException unreadable) {
      throw new UncheckedIOException("the stack's files cannot be read", unreadable);
    }
  }

  /** What the server writes down of this database's statements from now on. */
  public StatementLog log() {
    return new StatementLog(stateDirectory().resolve("log/postgres.log"), jdbi(), name);
  }

  private static Path stateDirectory() {
    String given = System.getProperty("drydock.instance", "");
    if (!given.isEmpty()) {
      return Objects.requireNonNull(Path.of(given).toAbsolutePath().getParent());
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".drydock/instance.json"))) {
        return at.resolve(".drydock");
      }
    }
    throw new IllegalStateException(
        "no .drydock/instance.json here or above: run python3 tools/stack up --only postgres");
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
    TemplateDatabase.drop(server, name);
  }
}
