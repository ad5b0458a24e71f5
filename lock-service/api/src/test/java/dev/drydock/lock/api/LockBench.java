package dev.drydock.lock.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The lock service with its API over a corner of a real etcd, elected and admitting everything. */
final class LockBench implements AutoCloseable {
  /**
   * A poll is answered after half a second; a client that does not poll for four loses its place.
   */
  private static final FleetLock.Times POLLS =
      new FleetLock.Times(Duration.ofMillis(500), Duration.ofSeconds(4), Duration.ofMinutes(60));

  /** As the history would have it of every lock. */
  static final Instant LAPSED_AT = Instant.ofEpochSecond(1_700_000_000);

  final FakeCandidates candidates = new FakeCandidates();
  final List<String> audit = new CopyOnWriteArrayList<>();
  final List<String> told = new CopyOnWriteArrayList<>();
  private final HoldOwner owner =
      new HoldOwner() {
        @Override
        public void bar(String grantId) {
          told.add("bar " + grantId + " " + kindOf(grantId));
        }

        @Override
        public void broken(String grantId, String reason) {
          told.add("broken " + grantId + " " + kindOf(grantId));
        }
      };
  private final AtomicLong marks = new AtomicLong();
  private final String root = "/test-" + UUID.randomUUID() + "/";
  final LockService service =
      LockService.open(
          new EtcdConfig(
              List.of(TestEtcd.shared().endpoint()),
              root,
              4096,
              Duration.ofSeconds(5),
              Duration.ofSeconds(2),
              Duration.ofSeconds(10)),
          marks::incrementAndGet,
          new Metrics());
  private final LockAudit auditing =
      (principal, action, object, detail) ->
          audit.add(principal.name() + " " + action + " " + object + " " + detail);
  final TestApi api;

  LockBench() {
    this(Admission.exclusiveOnly());
  }

  LockBench(Admission admission) {
    this(admission, POLLS.maximum());
  }

  /** With FleetLock holds of another maximum. */
  LockBench(Admission admission, Duration maximum) {
    FleetLock.Times polls = new FleetLock.Times(POLLS.answer(), POLLS.interval(), maximum);
    api =
        TestApi.start(
            service.resources(
                new Directory(), owner, auditing, id -> Optional.of(LAPSED_AT), Optional::empty),
            service.fleetLock(
                new Directory(),
                new FleetLock.Records(auditing, (host, ticket) -> told.add(host + " asks")),
                polls),
            Map.of(
                "kernel", new Principal("kernel", "kernel", Role.OPERATOR, Set.of()),
                "sre", new Principal("sre", "sre", Role.OPERATOR, Set.of()),
                "hosts", new Principal("hosts", "sre", Role.CONSUMER, Set.of("fleetlock")),
                "cve", new Principal("cve", "security", Role.OPERATOR, Set.of(), true),
                "viewer", new Principal("viewer", "sre", Role.VIEWER, Set.of()),
                "admin", new Principal("admin", "drydock", Role.ADMIN, Set.of())));
    service.start(admission, candidates);
    until("elected", service::leads);
  }

  /** What the hold was when its owner heard of it. */
  private String kindOf(String grantId) {
    return service.holds().find(grantId).getFirst().kind().name();
  }

  /** Three hosts, each with an instance of web. */
  private static final class Directory implements HostDirectory {
    private static final Set<String> HOSTS = Set.of("h01", "h02", "h03");

    @Override
    public Set<String> unknown(Collection<String> hosts) {
      return hosts.stream().filter(host -> !HOSTS.contains(host)).collect(Collectors.toSet());
    }

    @Override
    public Map<String, String> hostsOf(Collection<String> instances) {
      Map<String, String> homes = new HashMap<>();
      for (String instance : instances) {
        String host = instance.substring(instance.indexOf('@') + 1);
        if (HOSTS.contains(host)) {
          homes.put(instance, host);
        }
      }
      return homes;
    }

    @Override
    public Set<String> notOn(Collection<String> hosts, Collection<String> applications) {
      return applications.stream()
          .filter(application -> !application.equals("web"))
          .collect(Collectors.toSet());
    }

    @Override
    public List<String> hostsOfFleetLock(String id) {
      return switch (id) {
        case "machine-1" -> List.of("h01");
        case "twice" -> List.of("h02", "h03");
        default -> HostDirectory.super.hostsOfFleetLock(id);
      };
    }

    @Override
    public Map<String, List<String>> hostsIn(
        Collection<String> zones, Collection<String> applications) {
      boolean web = applications.isEmpty() || applications.contains("web");
      if (zones.contains("large")) {
        return Map.of(
            "large",
            IntStream.range(0, 200)
                .mapToObj("node-%04d.rack-12.row-3.dc-1.production.example.com"::formatted)
                .toList());
      }
      return web && zones.contains("z1") ? Map.of("z1", List.of("h02", "h03")) : Map.of();
    }
  }

  String create(String principal, String body) {
    Answer answer = api.call(principal, "POST", "/api/locks", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.header("x-restli-id").orElseThrow();
  }

  Lock get(String id) {
    Answer answer = api.call("viewer", "GET", "/api/locks/" + id, "");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return Json.read(answer.body(), Lock.class);
  }

  /** What FleetLock answers to the host of that id. */
  String fleetLock(String path, String id) {
    String body = "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"workers\"}}";
    Answer answer =
        api.send(
            api.request("POST", path, body)
                .header("Authorization", "Bearer " + TestApi.token("hosts"))
                .header("fleet-lock-protocol", "true")
                .build());
    return answer.status() + " " + answer.body();
  }

  Answer renew(String principal, String id) {
    return api.call(principal, "POST", "/api/locks/" + id + "?action=renew", "{}");
  }

  /** Removes a key, as the end of its lease does. */
  void forget(String key) {
    try (Client raw = Client.builder().endpoints(List.of(TestEtcd.shared().endpoint())).build()) {
      raw.getKVClient().delete(ByteSequence.from(root + key, UTF_8)).join();
    }
  }

  void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Override
  public void close() {
    api.close();
    service.close();
  }
}
