package dev.drydock.orchestrator.testkit;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
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
    String url = "jdbc:postgresql://127.0.0.1:" + Stack.port("postgres") + "/";
    String password = Stack.postgresPassword();
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
}
