package dev.drydock.server;

import dev.drydock.auditor.Auditor;
import dev.drydock.impact.service.ImpactAnalyzer;
import dev.drydock.lock.api.LockService;
import dev.drydock.lock.api.history.LockHistory;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.orchestrator.Orchestrator;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.inventory.InventoryService;
import dev.drydock.orchestrator.inventory.MarkIssuer;
import dev.drydock.orchestrator.subscriptions.Subscriptions;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.HttpServer;
import dev.drydock.platform.http.HttpServerParts;
import dev.drydock.platform.http.PostRoute;
import dev.drydock.platform.http.Readiness;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.http.StreamRoute;
import dev.drydock.platform.identity.TokenFile;
import dev.drydock.platform.identity.api.PrincipalResource;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.Database;
import dev.drydock.platform.store.WakeupChannel;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins the rooms of one process and starts them in the order in which they need each other. */
final class Wiring implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Wiring.class);
  private static final Duration POKE_INTERVAL = Duration.ofSeconds(1);

  private final OpenResources openResources;
  private final URI address;

  private Wiring(OpenResources openResources, URI address) {
    this.openResources = openResources;
    this.address = address;
  }

  /**
   * Starts what the roles need. Whatever was opened is closed again when something fails.
   *
   * @throws StartFailure naming what could not be had
   */
  static Wiring start(Set<ServerRole> roles, ServerConfig config, BackingStores backingStores) {
    OpenResources openResources = new OpenResources();
    try {
      return start(roles, config, backingStores, openResources);
    } catch (RuntimeException failed) {
      openResources.close();
      throw failed;
    }
  }

  private static Wiring start(
      Set<ServerRole> roles,
      ServerConfig config,
      BackingStores backingStores,
      OpenResources openResources) {
    TokenFile tokens = new TokenFile(config.tokensFile());
    Metrics metrics = new Metrics();
    Database database = openResources.add(database(config));
    LockService locks = openResources.add(locks(config, marks(database), metrics));
    LockHistory history = locks.history(database.jdbi());
    InventoryService inventoryService =
        openResources.add(new InventoryService(database, metrics, locks));
    ImpactAnalyzer analyzer =
        openResources.add(
            new ImpactAnalyzer(
                database,
                locks.generation(),
                new ImpactAnalyzer.Settings(
                    config.staleness(), config.prometheus(), locks.hostsPerGrant())));
    Orchestrator orchestrator =
        openResources.add(
            new Orchestrator(
                database,
                config,
                AnalyzerQueries.of(analyzer),
                metrics,
                new Orchestrator.ExternalStores(locks.time())));
    orchestrator.watchStores();
    Auditor auditor = new Auditor(database.jdbi(), config.passing().longest(), config.staleness());
    List<Readiness> needs = new ArrayList<>(List.of(backingStores));

    if (roles.contains(ServerRole.GRANTOR)) {
      analyzer.start();
      locks.start(analyzer.admission(), orchestrator.candidates());
      openResources.add(history.start(locks::leads));
      openResources.add(
          new WakeupChannel(database).listen(WakeupChannel.GRANTOR, POKE_INTERVAL, locks::poke));
    }
    if (roles.contains(ServerRole.ORCHESTRATOR)) {
      inventoryService.start();
      orchestrator.start(locks.holds());
      openResources.add(
          auditor.start(
              metrics, violation -> orchestrator.pause(violation.rollout(), violation.says())));
      needs.add(orchestrator::workflowsMissing);
    }
    Resources offered = Resources.none();
    List<StreamRoute> streams = List.of();
    List<PostRoute> posts = List.of();
    Optional<EventFeed> feed = Optional.empty();
    boolean api = roles.contains(ServerRole.API);
    if (api) {
      EventFeed events = openResources.add(new EventFeed(database, config.events()));
      feed = Optional.of(events);
      streams = List.of(events.stream());
      posts = locks.fleetLock(inventoryService.hosts(), database.jdbi(), config.fleetLock());
      offered =
          Resources.join(
              List.of(
                  inventoryService.resources(),
                  analyzer.resources(),
                  locks.resources(
                      inventoryService.hosts(), orchestrator.holdOwner(), database.jdbi()),
                  history.resources(),
                  orchestrator.resources(locks),
                  auditor.resources(),
                  events.resources(),
                  new Subscriptions(database.jdbi(), events).resources(),
                  Resources.of(PrincipalResource.class, PrincipalResource::new)));
    }
    HttpServer server =
        openResources.add(
            http(
                config,
                new HttpServerParts(offered, streams, posts, tokens, metrics, all(needs), api)));
    // Before the HTTP server: it lets calls under way end, and these would take their time.
    feed.ifPresent(events -> openResources.add((AutoCloseable) events.polls()::end));
    return new Wiring(openResources, server.address());
  }

  private static Readiness all(List<Readiness> needs) {
    return () -> needs.stream().flatMap(need -> need.missing().stream()).toList();
  }

  /** The server's own marks: what the lock service ends is older than what is observed after. */
  private static MarkSequence marks(Database database) {
    return () -> database.jdbi().withHandle(handle -> MarkIssuer.issue(handle, MarkIssuer.SERVER));
  }

  private static LockService locks(ServerConfig config, MarkSequence marks, Metrics metrics) {
    try {
      return LockService.open(EtcdConfig.of(config), marks, metrics);
    } catch (IllegalStateException unfit) {
      // The lock service says itself what is wrong with etcd's settings and what to do.
      throw new StartFailure(String.valueOf(unfit.getMessage()));
    } catch (RuntimeException refused) {
      throw new StartFailure(
          "etcd at "
              + config.etcd().endpoints()
              + " cannot be used: "
              + RootCause.deepest(refused));
    }
  }

  private static Database database(ServerConfig config) {
    try {
      return Database.open(config.postgres());
    } catch (Database.UnknownSchemaException other) {
      throw new StartFailure(
          "PostgreSQL at "
              + config.postgres().url()
              + " cannot be used: "
              + other.getMessage()
              + "; nothing was changed: start the version that made it, or name an empty database"
              + " in postgres.url");
    } catch (RuntimeException refused) {
      throw new StartFailure(
          "PostgreSQL at "
              + config.postgres().url()
              + " cannot be used as "
              + config.postgres().user()
              + " ("
              + RootCause.deepest(refused)
              + "): correct postgres.url, user or passwordFile in the configuration");
    }
  }

  private static HttpServer http(ServerConfig config, HttpServerParts parts) {
    try {
      return new HttpServer(config.http(), parts);
    } catch (IOException taken) {
      throw new StartFailure(
          "the HTTP server cannot listen at "
              + config.http().host()
              + ":"
              + config.http().port()
              + " ("
              + RootCause.deepest(taken)
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
    openResources.close();
  }
}
