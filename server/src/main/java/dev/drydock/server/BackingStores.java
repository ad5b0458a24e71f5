package dev.drydock.server;

import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.Readiness;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers Drydock needs, and whether they take connections. */
final class BackingStores implements Readiness {
  private static final Logger log = LoggerFactory.getLogger(BackingStores.class);
  private static final int CONNECT_MILLIS = 1000;
  private static final int PAUSE_MILLIS = 250;

  private final List<Store> stores;

  /** One server: its name, where it should be, and which field says so. */
  record Store(String name, InetSocketAddress address, String field) {

    /** Why it cannot be reached; empty when it can. */
    Optional<String> fault() {
      try (Socket socket = new Socket()) {
        socket.connect(
            new InetSocketAddress(address.getHostString(), address.getPort()), CONNECT_MILLIS);
        return Optional.empty();
      } catch (IOException unreachable) {
        return Optional.of(String.valueOf(unreachable.getMessage()));
      }
    }

    String where() {
      return address.getHostString() + ":" + address.getPort();
    }
  }

  BackingStores(List<Store> stores) {
    this.stores = List.copyOf(stores);
  }

  /** Those the configuration names and the roles need. */
  static BackingStores of(ServerConfig config, Set<ServerRole> roles) {
    List<Store> stores = new ArrayList<>();
    URI postgres = URI.create(config.postgres().url().substring("jdbc:".length()));
    int port = postgres.getPort() < 0 ? 5432 : postgres.getPort();
    stores.add(store("PostgreSQL", postgres.getHost(), port, "postgres.url"));
    for (URI endpoint : config.etcd().endpoints()) {
      stores.add(store("etcd", endpoint.getHost(), endpoint.getPort(), "etcd.endpoints"));
    }
    if (roles.contains(ServerRole.ORCHESTRATOR)) {
      URI temporal = URI.create("grpc://" + config.temporal().target());
      stores.add(store("Temporal", temporal.getHost(), temporal.getPort(), "temporal.target"));
    }
    return new BackingStores(stores);
  }

  private static Store store(String name, String host, int port, String field) {
    return new Store(name, InetSocketAddress.createUnresolved(host, port), field);
  }

  /**
   * Waits until all take connections.
   *
   * @throws StartFailure naming the first that does not within the budget
   */
  void await(Duration budget) throws InterruptedException {
    long end = System.nanoTime() + budget.toNanos();
    for (Store store : stores) {
      Optional<String> fault = store.fault();
      if (fault.isPresent()) {
        log.info("waiting for {} at {}: {}", store.name(), store.where(), fault.get());
      }
      while (fault.isPresent()) {
        if (System.nanoTime() > end) {
          throw new StartFailure(
              store.name()
                  + " does not answer at "
                  + store.where()
                  + " ("
                  + fault.get()
                  + ", tried for "
                  + budget.toSeconds()
                  + " s): start it, or correct "
                  + store.field()
                  + " in the configuration");
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        fault = store.fault();
      }
    }
  }

  /** One sentence per store that takes no connection now. */
  @Override
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Store store : stores) {
      store
          .fault()
          .ifPresent(
              fault ->
                  missing.add(
                      store.name() + " does not answer at " + store.where() + ": " + fault));
    }
    return missing;
  }
}
