package dev.drydock.platform.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.drydock.platform.config.PostgresConfig;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The connection pool to a PostgreSQL database whose schema is up to date. Safe for use by many
 * threads.
 */
public final class Database implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final int CONNECTIONS_MAX = 16;

  /** It remembers what it parsed; tests open hundreds of databases for the same statements. */
  private static final SqlParser PARSER = new ColonPrefixSqlParser();

  /** The schema of the database is not one that this version made. Nothing was changed. */
  public static final class UnknownSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private UnknownSchemaException(FlywayValidateException cause) {
      super("its schema was made by another version, and cannot be brought to this one", cause);
    }
  }

  private final PostgresConfig config;
  private final HikariDataSource pool;
  private final Jdbi jdbi;

  private Database(PostgresConfig config, HikariDataSource pool) {
    this.config = config;
    this.pool = pool;
    this.jdbi = Jdbi.create(pool);
    jdbi.getConfig(SqlStatements.class).setSqlParser(PARSER);
  }

  /**
   * Connects and brings the schema to this version.
   *
   * @throws UnknownSchemaException where another version made it that this one cannot go on from
   * @throws RuntimeException of the driver or of the migration; nothing stays open
   */
  public static Database open(PostgresConfig config) {
    Database opened = openMigrated(config);
    try {
      migrations().dataSource(unhurried(config)).load().migrate();
      return opened;
    } catch (FlywayValidateException stranger) {
      opened.close();
      throw new UnknownSchemaException(stranger);
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  /** What brings a schema to this version. */
  public static FluentConfiguration migrations() {
    return Flyway.configure().locations("classpath:db/schema");
  }

  /**
   * Connects to a database of which the caller knows that its schema is of this version.
   *
   * @throws RuntimeException of the driver; nothing stays open
   */
  public static Database openMigrated(PostgresConfig config) {
    HikariConfig settings = new HikariConfig();
    settings.setPoolName("postgres");
    settings.setJdbcUrl(config.url());
    settings.setUsername(config.user());
    settings.setPassword(config.password());
    settings.setMaximumPoolSize(CONNECTIONS_MAX);
    settings.setMinimumIdle(2);
    settings.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
    settings.addDataSourceProperty("ApplicationName", "drydock");
    settings.addDataSourceProperty("socketTimeout", "60");
    settings.addDataSourceProperty("tcpKeepAlive", "true");
    return new Database(config, new HikariDataSource(settings));
  }

  /**
   * For migrations, which take as long as they take: an index of a large table sends nothing until
   * it stands, and given up it would be begun anew at every start.
   */
  private static DataSource unhurried(PostgresConfig config) {
    PGSimpleDataSource connections = new PGSimpleDataSource();
    connections.setUrl(config.url());
    connections.setUser(config.user());
    connections.setPassword(config.password());
    connections.setApplicationName("drydock-migration");
    connections.setConnectTimeout((int) CONNECT_TIMEOUT.toSeconds());
    connections.setSocketTimeout(0);
    connections.setTcpKeepAlive(true);
    return connections;
  }

  public Jdbi jdbi() {
    return jdbi;
  }

  /** For connections that cannot come from the pool. */
  PostgresConfig config() {
    return config;
  }

  @Override
  public void close() {
    pool.close();
  }
}
