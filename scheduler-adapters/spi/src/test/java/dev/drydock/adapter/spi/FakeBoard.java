package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.HostPhase;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.ReportReceipt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A board in memory that gives a job to whoever asks first, and can be told to fail. */
final class FakeBoard implements Board {
  final Map<String, JobResult> results = new HashMap<>();
  final List<String> claims = new ArrayList<>();
  final List<InventoryReport> reports = new ArrayList<>();
  final AtomicInteger heartbeats = new AtomicInteger();
  final AtomicLong marks = new AtomicLong();
  final AtomicInteger polls = new AtomicInteger();
  volatile Optional<RuntimeException> heartbeatFault = Optional.empty();
  volatile int leaseSeconds = 15;
  volatile int attempt = 1;
  final Map<String, HostPhase> phases = new HashMap<>();

  /** Runs when one host is asked about. */
  Runnable onPhase = () -> {};

  /** What the last heartbeat told of what is left; -1 before. */
  volatile long told = -1;

  private final Map<String, Job> pending = new LinkedHashMap<>();

  synchronized Job add(String host, JobStep step) {
    String id = "g1." + step + "." + host + ".1";
    Job job =
        new Job()
            .setId(id)
            .setGrant("g1")
            .setRollout("r1")
            .setStep(step)
            .setTopic("scheduler/static")
            .setHost(host);
    job.setAddress("10.0.0.1")
        .setRound(1)
        .setState(JobState.Pending)
        .setAttempt(0)
        .setDeadlineSeconds(600);
    job.setCreatedAt(System.currentTimeMillis());
    pending.put(id, job);
    return job;
  }

  @Override
  public synchronized List<Job> claimable(String topic, List<JobStep> steps, int limit) {
    polls.incrementAndGet();
    return pending.values().stream()
        .filter(job -> job.getTopic().equals(topic) && steps.contains(job.getStep()))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized Map<String, HostPhase> underWay() {
    return Map.copyOf(phases);
  }

  @Override
  public synchronized Optional<HostPhase> phase(String host) {
    onPhase.run();
    return Optional.ofNullable(phases.get(host));
  }

  @Override
  public synchronized ClaimedJob claim(String id, String consumer) {
    Job job = pending.remove(id);
    if (job == null) {
      throw new IllegalStateException(id + " was offered and claimed twice");
    }
    claims.add(id);
    return new ClaimedJob()
        .setJob(job)
        .setClaim("c-" + id)
        .setAttempt(attempt)
        .setToken("1.7.1.1")
        .setLeaseSeconds(leaseSeconds);
  }

  @Override
  public int heartbeat(String job, String claim, Optional<DrainLeft> left) {
    heartbeats.incrementAndGet();
    left.ifPresent(told -> this.told = told.getCount());
    heartbeatFault.ifPresent(
        fault -> {
          throw fault;
        });
    return leaseSeconds;
  }

  @Override
  public synchronized void complete(String job, String claim, JobResult result) {
    results.put(job, result);
  }

  synchronized JobResult result(String job) {
    return results.getOrDefault(job, new JobResult());
  }

  @Override
  public long mark(String source) {
    return marks.incrementAndGet();
  }

  @Override
  public synchronized ReportReceipt report(InventoryReport report) {
    reports.add(report);
    return new ReportReceipt().setAccepted(true);
  }
}
