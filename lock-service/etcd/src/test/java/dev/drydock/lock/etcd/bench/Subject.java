package dev.drydock.lock.etcd.bench;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.Standing;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The lock service as a Java program uses it: desk and grantor in one process. */
final class Subject implements AutoCloseable {
  private final EtcdLocks locks;
  private final AtomicLong marks = new AtomicLong();
  private final AtomicLong ids = new AtomicLong();

  Subject(URI endpoint) {
    EtcdConfig config =
        new EtcdConfig(
            List.of(endpoint),
            "/bench/",
            4096,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30));
    locks = EtcdLocks.open(config, marks::incrementAndGet, InstantSource.system(), new Metrics());
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    while (!locks.leads()) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** In the queue, and maybe granted already. */
  String enqueue(List<String> hosts) {
    String id = "t" + ids.incrementAndGet();
    locks.desk().submit(ticket(id, hosts), Duration.ofSeconds(600));
    return id;
  }

  void awaitGrant(String id) {
    while (!(locks.desk().find(id).orElseThrow() instanceof Standing.Held)) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  void release(String id) {
    locks.desk().leave(id, "bench", "done");
  }

  void acquireAndRelease(List<String> hosts) {
    String id = enqueue(hosts);
    awaitGrant(id);
    release(id);
  }

  private static Ticket ticket(String id, List<String> hosts) {
    return new Ticket(
        id,
        Ticket.Mode.WAIT,
        hosts,
        List.of(),
        "bench",
        "benchmark",
        Instant.now().plusSeconds(3600),
        3600,
        600,
        Optional.empty(),
        0,
        0,
        Optional.empty());
  }

  @Override
  public void close() {
    locks.close();
  }
}
