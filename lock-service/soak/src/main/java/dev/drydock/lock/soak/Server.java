package dev.drydock.lock.soak;

import dev.drydock.lock.api.LockService;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.HttpServer;
import dev.drydock.platform.http.HttpServerParts;
import dev.drydock.platform.http.Readiness;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.identity.Tokens;
import dev.drydock.platform.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The lock service of one server process, as the product has it: its API over HTTP, and the grantor
 * while elected. Without PostgreSQL, which nothing here rests on: hosts count as healthy, rollouts
 * want none.
 */
final class Server implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** A FleetLock client that is paused keeps its place. */
  private static final Duration UNSEEN = Duration.ofMinutes(2);

  private static final int BODY_BYTES_MAX = 64 * 1024;

  private final LockService service;
  private final HttpServer http;

  private Server(LockService service, HttpServer http) {
    this.service = service;
    this.http = http;
  }

  /** Serves and stands for election. */
  static Server open(SoakSettings soakSettings, InstantSource clock) throws IOException {
    Metrics metrics = new Metrics();
    LockService service = service(soakSettings, clock, metrics);
    Set<String> hosts = Set.copyOf(soakSettings.places().all());
    Duration maximum = Duration.ofSeconds(soakSettings.number("rebootSeconds"));
    HttpServerParts parts =
        new HttpServerParts(
            service.resources(asked -> unknown(hosts, asked), new NoBatches()),
            List.of(),
            service.fleetLock(asked -> unknown(hosts, asked), POLL, UNSEEN, maximum),
            new Tokens(principals(soakSettings.number("processes"))),
            metrics,
            Readiness.always(),
            false);
    service.start(
        new HostLimitAdmission(
            soakSettings.number("budget"), Set.copyOf(soakSettings.places().busy())),
        new FakeCandidates());
    int port = soakSettings.number("port");
    return new Server(
        service, new HttpServer(new ServerConfig.Http("127.0.0.1", port, BODY_BYTES_MAX), parts));
  }

  /** The members may be slow while everybody starts. */
  private static LockService service(
      SoakSettings soakSettings, InstantSource clock, Metrics metrics) {
    long end = SoakHistory.now() + START.toNanos();
    while (true) {
      try {
        return LockService.open(soakSettings.etcd(), marks(), clock, metrics);
      } catch (UnknownOutcomeException unknown) {
        if (SoakHistory.now() - end > 0) {
          throw unknown;
        }
      }
    }
  }

  /** All processes of the machine draw from its one monotonic clock. */
  private static MarkSequence marks() {
    AtomicLong last = new AtomicLong();
    return () -> last.updateAndGet(before -> Math.max(before + 1, System.nanoTime()));
  }

  private static Set<String> unknown(Set<String> hosts, Collection<String> asked) {
    return asked.stream().filter(host -> !hosts.contains(host)).collect(Collectors.toSet());
  }

  /** One for each process of clients, whose name is its token. */
  private static Map<String, Principal> principals(int processes) {
    Map<String, Principal> principals = new HashMap<>();
    for (int i = 1; i <= processes; i++) {
      principals.put("c" + i, new Principal("c" + i, "soak", Role.OPERATOR, Set.of()));
    }
    return principals;
  }

  /** Nobody has a hold of a batch here. */
  private static final class NoBatches implements HoldOwner {
    @Override
    public void bar(String grantId) {}

    @Override
    public void broken(String grantId, String reason) {}
  }

  @Override
  public void close() {
    http.close();
    service.close();
  }
}
