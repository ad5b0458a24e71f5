package dev.drydock.orchestrator.testkit;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
import dev.drydock.platform.testkit.TemplateDatabase;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * A database of its own on the PostgreSQL of this checkout's stack, with the schema in it; dropped
 * at the end.
 */
public final class TestDatabase implements AutoCloseable {
  private final String name = "orchestrator_" + UUID.randomUUID().toString().replace("-", "");
  private final PostgresConfig server;
  private final Database database;

  public TestDatabase() {
    String url = "jdbc:postgresql://127.0.0.1:" + Stack.port("postgres") + "/";
    server = new PostgresConfig(url, "postgres", Stack.postgresPassword());
    TemplateDatabase.copy(server, name);
    database = Database.openMigrated(TemplateDatabase.database(server, name));
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
