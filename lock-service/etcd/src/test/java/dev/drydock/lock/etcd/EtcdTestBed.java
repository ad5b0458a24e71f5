package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One test's corner of a real etcd: its own root, any number of processes' worth of lock services
 * on it.
 */
final class EtcdTestBed implements AutoCloseable {
  static final Duration LEASE = Duration.ofSeconds(2);

  /** More patience than any test needs. */
  static final Duration LONG = Duration.ofSeconds(60);

  final FakeCandidates candidates = new FakeCandidates();
  final AtomicLong marks = new AtomicLong();

  /** How long the lock services ask etcd again. */
  volatile Duration budget = Duration.ofSeconds(10);

  /** Whoever gives out marks does not answer. */
  volatile boolean noMarks;

  /** How far the clock of the lock services runs ahead. */
  volatile Duration ahead = Duration.ZERO;

  /** How far later requests may go before earlier ones. */
  volatile Backfill backfill = Backfill.DEFAULT;

  private final URI endpoint;
  private final Optional<TestEtcd> own;
  private final String root = "/test-" + UUID.randomUUID() + "/";
  private final List<EtcdLocks> opened = new ArrayList<>();
  private final EtcdConnection direct;

  EtcdTestBed() {
    this(TestEtcd.shared(), Optional.empty());
  }

  private EtcdTestBed(TestEtcd etcd, Optional<TestEtcd> own) {
    endpoint = etcd.endpoint();
    this.own = own;
    direct = new EtcdConnection(config(), TransactionHook.NONE);
  }

  /** In an etcd of its own that takes requests of 100,000 bytes. */
  static EtcdTestBed onASmallEtcd() {
    TestEtcd small = TestEtcd.start("--max-txn-ops=4096", "--max-request-bytes=100000");
    return new EtcdTestBed(small, Optional.of(small));
  }

  EtcdConfig config() {
    return config(endpoint, root, budget, backfill);
  }

  static EtcdConfig config(URI endpoint, String root) {
    return config(endpoint, root, Duration.ofSeconds(10), Backfill.DEFAULT);
  }

  private static EtcdConfig config(URI endpoint, String root, Duration budget, Backfill backfill) {
    return new EtcdConfig(
        List.of(endpoint), root, 4096, LEASE, Duration.ofSeconds(2), budget, backfill);
  }

  EtcdLocks open() {
    return open(TransactionHook.NONE);
  }

  EtcdLocks open(TransactionHook hook) {
    EtcdLocks locks =
        EtcdLocks.open(config(), this::mark, () -> Instant.now().plus(ahead), new Metrics(), hook);
    opened.add(locks);
    return locks;
  }

  private long mark() {
    if (noMarks) {
      throw new IllegalStateException("nobody gives out marks");
    }
    return marks.incrementAndGet();
  }

  /** A lock service that is the grantor, admitting everything. */
  EtcdLocks grantor() {
    return grantor(TransactionHook.NONE, Admission.exclusiveOnly());
  }

  EtcdLocks grantor(TransactionHook hook, Admission admission) {
    EtcdLocks locks = open(hook);
    locks.startGrantor(admission, candidates);
    Await.until("a grantor is elected", locks::leads);
    return locks;
  }

  /** Another process here, that is to be started. */
  ProcessBuilder process(Class<?> main, String argument) {
    return new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        main.getName(),
        endpoint.toString(),
        root,
        argument);
  }

  /** etcd itself, past every rule. */
  EtcdConnection direct() {
    return direct;
  }

  /** Puts a value that nobody understands, as somebody with etcdctl would. */
  void garble(String key) {
    try (Client raw = raw()) {
      raw.getKVClient().put(KeyLayout.bytes(root + key), KeyLayout.bytes("{\"what\":")).join();
    }
  }

  /** Removes a key by its name. */
  void remove(String key) {
    try (Client raw = raw()) {
      raw.getKVClient().delete(KeyLayout.bytes(root + key)).join();
    }
  }

  private Client raw() {
    return Client.builder().endpoints(List.of(endpoint)).build();
  }

  List<KeyValue> everything() {
    return direct.range(KeyLayout.bytes(root));
  }

  /** How many leases there are in its etcd, as etcd's own gateway tells. */
  int leases() throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest list =
          HttpRequest.newBuilder(endpoint.resolve("/v3/lease/leases"))
              .POST(HttpRequest.BodyPublishers.ofString("{}"))
              .build();
      String listed = http.send(list, HttpResponse.BodyHandlers.ofString()).body();
      return listed.split("\"ID\"", -1).length - 1;
    }
  }

  /** A request whose lock outlives any test. */
  static Ticket ticket(String id, Mode mode, String... hosts) {
    return ticket(id, mode, 60, hosts);
  }

  static Ticket ticket(String id, Mode mode, int leaseSeconds, String... hosts) {
    return new Ticket(
        id,
        mode,
        List.of(hosts),
        List.of(),
        "kernel-team",
        "firmware of " + id,
        Instant.now().plusSeconds(60),
        60,
        leaseSeconds);
  }

  /** Waits for its grant. */
  static void take(EtcdLocks locks, Ticket ticket) {
    locks.desk().submit(ticket, Duration.ofSeconds(60));
    String host = ticket.hosts().getFirst();
    Await.until(ticket.id() + " is granted", () -> has(locks, ticket.id(), host));
  }

  static void take(EtcdLocks locks, String id, String host) {
    take(locks, ticket(id, Mode.WAIT, host));
  }

  static boolean has(EtcdLocks locks, String id, String host) {
    return locks.lockOn(host).filter(lock -> lock.id().equals(id)).isPresent();
  }

  /** A client that polls every {@code seconds}. */
  static Ticket polled(String id, int seconds, String host) {
    return new Ticket(
        id,
        Mode.FLEETLOCK,
        List.of(host),
        List.of(),
        "hosts",
        "reboot of " + host,
        Instant.now().plusSeconds(seconds),
        seconds,
        0);
  }

  /** At most {@code budget} hosts locked at once, lapsed ones included. */
  static Admission atMost(int budget) {
    return table ->
        (Collection<String> hosts,
            Collection<String> applications,
            Collection<LockRecord> held) -> {
          Set<String> down = new TreeSet<>(hosts);
          held.forEach(lock -> down.add(lock.host()));
          return new Verdict(
              down.size() <= budget ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
              "web: " + down.size() + " hosts would be down, " + budget + " may",
              List.of());
        };
  }

  @Override
  public void close() {
    opened.forEach(EtcdLocks::close);
    direct.close();
    own.ifPresent(TestEtcd::close);
  }

  /** A first proposal, as {@link FakeCandidates} make it. */
  static Holds.Proposed proposed(String id, String host) {
    return new Holds.Proposed(id, List.of(host), 1);
  }
}
