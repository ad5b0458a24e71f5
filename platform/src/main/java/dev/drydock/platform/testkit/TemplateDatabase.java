package dev.drydock.platform.testkit;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * A database with every migration done, of which tests get copies: to migrate one of their own
 * takes most of a second of CPU, on both sides together. There is one for each JVM, made when first
 * asked for and dropped when the JVM ends. Safe for use by many threads.
 */
public final class TemplateDatabase {
  private static @Nullable String template;

  private TemplateDatabase() {}

  /**
   * Creates a database with every migration done.
   *
   * @param server an administrator of it, with a URL that ends before the name of a database
   * @param name of the new database; whoever asks for it drops it
   */
  public static void copy(PostgresConfig server, String name) {
    String from = template(server);
    execute(server, "CREATE DATABASE " + name + " TEMPLATE " + from);
  }

  /** Drops a database, whoever is still connected to it. */
  public static void drop(PostgresConfig server, String name) {
    execute(server, "DROP DATABASE " + name + " WITH (FORCE)");
  }

  /** A database of that server, for the same user. */
  public static PostgresConfig database(PostgresConfig server, String name) {
    return new PostgresConfig(server.url() + name, server.user(), server.password());
  }

  private static synchronized String template(PostgresConfig server) {
    if (template == null) {
      String name = "template_" + UUID.randomUUID().toString().replace("-", "");
      execute(server, "CREATE DATABASE " + name);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(server, name)));
      Database.open(database(server, name)).close(); // Nobody may be connected to what is copied.
      template = name;
    }
    return template;
  }

  private static void execute(PostgresConfig server, String statement) {
    PostgresConfig at = database(server, "postgres");
    Jdbi.create(at.url(), at.user(), at.password()).useHandle(handle -> handle.execute(statement));
  }
}
