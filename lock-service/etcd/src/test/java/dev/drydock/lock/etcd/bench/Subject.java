package dev.drydock.lock.etcd.bench;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.HeldLock;
import dev.drydock.lock.etcd.LockClient;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The lock service as a Java program uses it: its clients and the grantor in one process. */
final class Subject implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final EtcdLocks locks;
  private final LockClient client;
  private final AtomicLong marks = new AtomicLong();

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
    client = locks.client(Duration.ofSeconds(15));
  }

  HeldLock acquire(List<String> hosts) throws Exception {
    return client.acquire(new LockClient.Request(hosts, "bench", "benchmark", PATIENCE));
  }

  void acquireAndRelease(List<String> hosts) throws Exception {
    acquire(hosts).release("done");
  }

  /** Another program with a session of its own. */
  LockClient another() {
    return locks.client(Duration.ofSeconds(15));
  }

  int waiting() {
    return locks.holds().table().tickets().size();
  }

  static LockClient.Request request(String host) {
    return new LockClient.Request(List.of(host), "bench", "benchmark", PATIENCE);
  }

  @Override
  public void close() {
    client.close();
    locks.close();
  }
}
