package dev.drydock.platform.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.store.Database;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * A database with every migration done, of which tests get copies: to migrate one of their own
 * takes most of a second of CPU, on both sides together. There is one on each server for each set
 * of migrations, of which its name tells; the first process that asks makes it, and it stays for
 * the next. Safe for use by many threads and processes.
 */
public final class TemplateDatabase {
  private static final String ADMIN = "postgres";
  private static final String PREFIX = "template_";
  private static final long LOCK = 0x7e3d_1a7e;
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
      String name = PREFIX + migrations(server);
      admin(server)
          .useHandle(
              handle -> {
                // Until this connection ends: other processes wait, and find what was made.
                handle.execute("SELECT pg_advisory_lock(?)", LOCK);
                if (!templates(handle).contains(name)) {
                  make(server, handle, name);
                }
              });
      template = name;
    }
    return template;
  }

  /** Under another name until it is whole: who dies meanwhile leaves nothing that is copied. */
  private static void make(PostgresConfig server, Handle handle, String name) {
    // Those that are there are of other migrations, or not whole.
    for (String other : templates(handle)) {
      handle.execute("DROP DATABASE " + other + " WITH (FORCE)");
    }
    String unfinished = PREFIX + "unfinished";
    handle.execute("CREATE DATABASE " + unfinished);
    // Nobody may be connected to what is renamed or copied.
    Database.open(database(server, unfinished)).close();
    handle.execute("ALTER DATABASE " + unfinished + " RENAME TO " + name);
  }

  private static List<String> templates(Handle handle) {
    return handle
        .createQuery("SELECT datname FROM pg_database WHERE starts_with(datname, :prefix)")
        .bind("prefix", PREFIX)
        .mapTo(String.class)
        .list();
  }

  /** Another word for every set of migrations: of their names and what they say. */
  private static String migrations(PostgresConfig server) {
    PostgresConfig at = database(server, ADMIN);
    Flyway flyway = Database.migrations().dataSource(at.url(), at.user(), at.password()).load();
    String all =
        Arrays.stream(flyway.info().all())
            .map(migration -> migration.getScript() + " " + migration.getChecksum())
            .collect(Collectors.joining("\n"));
    return UUID.nameUUIDFromBytes(all.getBytes(UTF_8)).toString().replace("-", "");
  }

  private static void execute(PostgresConfig server, String statement) {
    admin(server).useHandle(handle -> handle.execute(statement));
  }

  private static Jdbi admin(PostgresConfig server) {
    PostgresConfig at = database(server, ADMIN);
    return Jdbi.create(at.url(), at.user(), at.password());
  }
}
