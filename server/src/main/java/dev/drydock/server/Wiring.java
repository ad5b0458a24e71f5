package dev.drydock.server;

import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.inventory.Inventory;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.HttpParts;
import dev.drydock.platform.http.HttpServer;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.TokenFile;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.Database;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Joins the rooms of one process and starts them in the order in which they need each other. */
final class Wiring implements AutoCloseable {
  private final Opened opened;
  private final URI address;

  private Wiring(Opened opened, URI address) {
    this.opened = opened;
    this.address = address;
  }

  /**
   * Starts what the roles need. Whatever was opened is closed again when something fails.
   *
   * @throws StartFailure naming what could not be had
   */
  static Wiring start(Set<ServerRole> roles, ServerConfig config, Stores stores) {
    Opened opened = new Opened();
    try {
      return start(roles, config, stores, opened);
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  private static Wiring start(
      Set<ServerRole> roles, ServerConfig config, Stores stores, Opened opened) {
    TokenFile tokens = new TokenFile(config.tokensFile());
    Metrics metrics = new Metrics();
    Database database = opened.add(database(config));
    List<Resources> resources = new ArrayList<>();
    Inventory inventory =
        opened.add(
            new Inventory(
                database,
                metrics,
                () -> new LockTable(0, Map.of(), List.of(), Map.of(), Set.of())));
    inventory.start();
    resources.add(inventory.resources());
    Resources offered =
        roles.contains(ServerRole.API) ? Resources.join(resources) : Resources.none();
    HttpServer server =
        opened.add(http(config, new HttpParts(offered, tokens, metrics, stores::missing)));
    return new Wiring(opened, server.address());
  }

  private static Database database(ServerConfig config) {
    try {
      return Database.open(config.postgres());
    } catch (RuntimeException refused) {
      throw new StartFailure(
          "PostgreSQL at "
              + config.postgres().url()
              + " cannot be used as "
              + config.postgres().user()
              + " ("
              + Causes.deepest(refused)
              + "): correct postgres.url, user or passwordFile in the configuration");
    }
  }

  private static HttpServer http(ServerConfig config, HttpParts parts) {
    try {
      return new HttpServer(config.http(), parts);
    } catch (IOException taken) {
      throw new StartFailure(
          "the HTTP server cannot listen at "
              + config.http().host()
              + ":"
              + config.http().port()
              + " ("
              + Causes.deepest(taken)
              + "): end the other process, or correct http.port in the configuration");
    }
  }

  /** Where the API is. */
  URI address() {
    return address;
  }

  /** Ends all in the reverse order of their start: first no more calls, last the stores. */
  @Override
  public void close() {
    opened.close();
  }
}
