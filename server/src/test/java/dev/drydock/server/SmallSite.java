package dev.drydock.server;

import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringMap;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.HostReportArray;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.Release;
import dev.drydock.api.RolloutRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A few hosts with their scheduler and their operator, over the public API alone: it reports what
 * runs where several times a second and does every job. What becomes of its instances is up to the
 * test.
 */
final class SmallSite implements AutoCloseable {
  private static final String SOURCE = "static";
  private static final Set<JobStep> READS =
      Set.of(JobStep.Cordon, JobStep.Recover, JobStep.Uncordon);
  private static final Duration BEAT = Duration.ofMillis(150);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Where an instance is; one that was drained is down, whatever its health. */
  private record Instance(String application, String host, String zone, boolean healthy) {}

  private final DrydockClient client;
  private final SortedMap<String, Instance> instances = new TreeMap<>();
  private final Set<String> drained = ConcurrentHashMap.newKeySet();
  private final Map<String, Runnable> before = new ConcurrentHashMap<>();
  private final Map<String, Runnable> after = new ConcurrentHashMap<>();
  private final Map<String, JobOutcome> outcomes = new ConcurrentHashMap<>();
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private boolean patient;
  private volatile boolean closed;

  SmallSite(DrydockClient client) {
    this.client = client;
  }

  /** A server that is away is waited for, as any consumer does. */
  SmallSite patient() {
    patient = true;
    return this;
  }

  /** Puts an instance somewhere, or somewhere else, healthy or not. */
  void put(String id, String application, String host, boolean healthy) {
    put(id, application, host, "z", healthy);
  }

  /** The same in a fault zone that is not that of all others. */
  synchronized void put(String id, String application, String host, String zone, boolean healthy) {
    instances.put(id, new Instance(application, host, zone, healthy));
  }

  /** What happens just before a job is reported as done. */
  void before(JobStep step, String host, Runnable what) {
    before.put(step + " " + host, what);
  }

  /** What happens right after it was. */
  void after(JobStep step, String host, Runnable what) {
    after.put(step + " " + host, what);
  }

  /** How a job ends from now on; else it is done. */
  void outcome(JobStep step, String host, JobOutcome outcome) {
    outcomes.put(step + " " + host, outcome);
  }

  /** All work done, as STEP HOST, in its order. */
  List<String> done() {
    return List.copyOf(done);
  }

  /** The steps done on a host, in their order. */
  List<String> done(String host) {
    return done.stream()
        .filter(job -> job.endsWith(" " + host))
        .map(job -> job.substring(0, job.indexOf(' ')))
        .toList();
  }

  /** Reports once, so that the hosts are known, and goes on by itself. */
  void start() {
    report();
    client.addRelease(
        new Release()
            .setName("2")
            .setChannel("http://127.0.0.1/2")
            .setKernel("6")
            .setPackages(new StringMap(Map.of("base", "2"))));
    threads.execute(() -> repeat(this::report));
    threads.execute(() -> repeat(this::work));
  }

  String rollout(String... wanted) {
    return client.startRollout(
        new RolloutRequest().setRelease("2").setHosts(new StringArray(List.of(wanted))));
  }

  HostUpgrade upgrade(String rollout, String host) {
    return client.hostUpgrades(rollout).stream()
        .filter(upgrade -> upgrade.getHost().equals(host))
        .findFirst()
        .orElseThrow();
  }

  private void repeat(Runnable round) {
    try {
      while (!closed) {
        once(round);
        LockSupport.parkNanos(BEAT.toNanos());
      }
    } catch (RuntimeException | AssertionError fault) {
      failed.compareAndSet(null, fault);
    }
  }

  private void once(Runnable round) {
    try {
      round.run();
    } catch (CallException away) {
      if (!patient || !away.isTemporary()) {
        throw away;
      }
    }
  }

  /** Waits for it, for at most 90 s; what it did so far is told where it does not come. */
  void until(String what, BooleanSupplier condition) {
    until(what, condition, () -> "");
  }

  /**
   * The same.
   *
   * @param more told as well
   */
  void until(String what, BooleanSupplier condition, Supplier<String> more) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      requireAlive();
      if (System.nanoTime() > end) {
        throw new AssertionError(what + "; done so far: " + done() + more.get());
      }
      LockSupport.parkNanos(BEAT.toNanos());
    }
  }

  /** Fails with what ended the site, so that nobody waits for it. */
  private void requireAlive() {
    Throwable fault = failed.get();
    if (fault != null) {
      throw new AssertionError("the site fell silent", fault);
    }
  }

  /** Says what is where, all of it; it does so by itself as well. */
  void report() {
    long mark = client.mark(SOURCE);
    InventoryReport report =
        new InventoryReport()
            .setSource(SOURCE)
            .setMark(mark)
            .setFull(true)
            .setHosts(new HostReportArray())
            .setInstances(seen(""));
    for (String host : hosts()) {
      report
          .getHosts()
          .add(new HostReport().setName(host).setAddress("127.0.0.1").setScheduler(SOURCE));
    }
    client.report(report);
  }

  private synchronized Set<String> hosts() {
    return instances.values().stream().map(Instance::host).collect(Collectors.toSet());
  }

  /** What is on a host now, or on all. */
  private synchronized InstanceReportArray seen(String host) {
    InstanceReportArray seen = new InstanceReportArray();
    instances.forEach(
        (id, instance) -> {
          if (host.isEmpty() || instance.host().equals(host)) {
            boolean up = instance.healthy() && !drained.contains(instance.host());
            seen.add(
                new InstanceReport()
                    .setId(id)
                    .setApplication(instance.application())
                    .setHost(instance.host())
                    .setZone(instance.zone())
                    .setHealth(up ? HealthState.Healthy : HealthState.Unhealthy)
                    .setObservedAt(System.currentTimeMillis()));
          }
        });
    return seen;
  }

  private void work() {
    for (Job job : client.claimable(List.of("scheduler/" + SOURCE, "host/PackageUpdate"), 10)) {
      claim(job).ifPresent(this::finish);
    }
  }

  private Optional<ClaimedJob> claim(Job job) {
    try {
      return Optional.of(client.claim(job.getId(), "site"));
    } catch (CallException refused) {
      // Not now, or not any more: it is claimable again if it is still wanted.
      if (refused.status() != 409) {
        throw refused;
      }
      return Optional.empty();
    }
  }

  private void finish(ClaimedJob claimed) {
    Job job = claimed.getJob();
    if (job.getStep() == JobStep.Drain) {
      drained.add(job.getHost());
    } else if (job.getStep() == JobStep.Recover) {
      drained.remove(job.getHost());
    }
    String work = job.getStep() + " " + job.getHost();
    before.getOrDefault(work, () -> {}).run();
    JobOutcome outcome = outcomes.getOrDefault(work, JobOutcome.Done);
    JobResult result =
        new JobResult().setOutcome(outcome).setMessage(job.getStep() + " " + outcome);
    if (READS.contains(job.getStep()) && outcome == JobOutcome.Done) {
      long mark = client.mark(SOURCE);
      result.setMark(mark).setInstances(seen(job.getHost()));
    }
    done.add(work);
    client.complete(job.getId(), claimed.getClaim(), result);
    after.getOrDefault(work, () -> {}).run();
  }

  @Override
  public void close() {
    closed = true;
    threads.close();
  }
}
