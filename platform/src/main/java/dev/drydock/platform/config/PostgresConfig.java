package dev.drydock.platform.config;

/**
 * Where PostgreSQL is.
 *
 * @param url JDBC URL
 * @param password from the password file; empty when the server trusts the connection
 */
public record PostgresConfig(String url, String user, String password) {

  /** Without the password: records end up in log lines. */
  @Override
  public String toString() {
    return "PostgresConfig[url=" + url + ", user=" + user + "]";
  }
}
