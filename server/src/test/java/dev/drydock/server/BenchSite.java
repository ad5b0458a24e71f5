package dev.drydock.server;

import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringMap;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.HostReportArray;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.Release;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Many hosts with consumers that answer at once, over the public API alone: one instance a host,
 * always healthy, reported every few seconds.
 */
final class BenchSite implements AutoCloseable {
  private static final String SOURCE = "static";
  private static final List<String> TOPICS = List.of("scheduler/" + SOURCE, "host/PackageUpdate");
  private static final Set<JobStep> READS =
      Set.of(JobStep.Cordon, JobStep.Recover, JobStep.Uncordon);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration WAIT = Duration.ofMillis(250);
  private static final Duration REPORT = Duration.ofSeconds(5);
  private static final int AT_ONCE = 100;
  private static final int HANDS = 16;
  private static final int CHUNK = 10_000;

  private final DrydockClient client;
  private final List<InstanceReport> instances = new ArrayList<>();
  private final Set<String> taken = ConcurrentHashMap.newKeySet();
  private final Semaphore hands = new Semaphore(HANDS);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
  private final AtomicInteger completed = new AtomicInteger();
  private volatile boolean closed;

  BenchSite(DrydockClient client) {
    this.client = client;
  }

  /** Puts a healthy instance on a host of its own; before the start. */
  void put(String application, String host, String zone) {
    instances.add(instance(application, host, zone));
  }

  private static InstanceReport instance(String application, String host, String zone) {
    return new InstanceReport()
        .setId(application + "@" + host)
        .setApplication(application)
        .setHost(host)
        .setZone(zone)
        .setHealth(HealthState.Healthy);
  }

  void start() {
    report();
    threads.execute(() -> repeat(this::report, REPORT));
    threads.execute(() -> repeat(this::look, LOOK));
  }

  private void repeat(Runnable round, Duration pause) {
    while (!closed) {
      guarded(round);
      LockSupport.parkNanos(pause.toNanos());
    }
  }

  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException fault) {
      failed.compareAndSet(null, fault);
    }
  }

  private void report() {
    report(SOURCE, instances, true);
  }

  /** Hosts of another source, reported once in parts, each with one instance. */
  void reportOnce(String source, String application, List<String> hosts) {
    for (int from = 0; from < hosts.size(); from += CHUNK) {
      List<InstanceReport> part =
          hosts.subList(from, Math.min(from + CHUNK, hosts.size())).stream()
              .map(host -> instance(application, host, host))
              .toList();
      report(source, part, false);
    }
  }

  private void report(String source, List<InstanceReport> seen, boolean full) {
    InventoryReport report =
        new InventoryReport()
            .setSource(source)
            .setMark(client.mark(source))
            .setFull(full)
            .setHosts(new HostReportArray())
            .setInstances(new InstanceReportArray());
    for (InstanceReport instance : seen) {
      report
          .getHosts()
          .add(
              new HostReport()
                  .setName(instance.getHost())
                  .setAddress("127.0.0.1")
                  .setScheduler(source));
      report.getInstances().add(now(instance));
    }
    client.report(report);
  }

  private static InstanceReport now(InstanceReport instance) {
    return new InstanceReport()
        .setId(instance.getId())
        .setApplication(instance.getApplication())
        .setHost(instance.getHost())
        .setZone(instance.getZone())
        .setHealth(HealthState.Healthy)
        .setObservedAt(System.currentTimeMillis());
  }

  private void look() {
    for (Job job : client.claimable(TOPICS, AT_ONCE)) {
      if (taken.add(job.getId())) {
        hands.acquireUninterruptibly();
        threads.execute(() -> guarded(() -> work(job)));
      }
    }
  }

  private void work(Job job) {
    try {
      finish(client.claim(job.getId(), "bench"));
    } catch (CallException refused) {
      // A check is asked again; it is claimable after that.
      taken.remove(job.getId());
      if (refused.status() != 409) {
        throw refused;
      }
    } finally {
      hands.release();
    }
  }

  private void finish(ClaimedJob claimed) {
    Job job = claimed.getJob();
    JobResult result = new JobResult().setOutcome(JobOutcome.Done).setMessage("");
    if (READS.contains(job.getStep())) {
      InstanceReportArray seen = new InstanceReportArray();
      instances.stream()
          .filter(instance -> instance.getHost().equals(job.getHost()))
          .forEach(instance -> seen.add(now(instance)));
      result.setMark(client.mark(SOURCE)).setInstances(seen);
    }
    client.complete(job.getId(), claimed.getClaim(), result);
    completed.incrementAndGet();
  }

  /** How many jobs were done since the last call. */
  int jobsDone() {
    return completed.getAndSet(0);
  }

  String submit(String release, List<String> hosts) {
    client.addRelease(
        new Release()
            .setName(release)
            .setChannel("http://127.0.0.1/" + release)
            .setKernel("6")
            .setPackages(new StringMap(Map.of("base", release))));
    return client.startRollout(
        new RolloutRequest().setRelease(release).setHosts(new StringArray(hosts)));
  }

  /** Waits until every host of the rollout was upgraded. */
  void untilUpgraded(String rollout) {
    while (true) {
      Throwable fault = failed.get();
      if (fault != null) {
        throw new AssertionError("the site fell silent", fault);
      }
      Rollout seen = client.rollout(rollout);
      if (seen.hasEndedAt()) {
        if (!seen.getUpgraded().equals(seen.getHostCount())) {
          throw new AssertionError("not all hosts were upgraded: " + seen);
        }
        return;
      }
      LockSupport.parkNanos(WAIT.toNanos());
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.close();
  }
}
