package dev.drydock.orchestrator.testkit;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Verdict;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Everybody else: a grantor that grants what is free, and consumers that do every job, over HTTP.
 * Runs until closed; what it should answer can be changed meanwhile.
 */
public final class SimulatedConsumers implements AutoCloseable {

  /** What becomes of single jobs and checks where a test wants it otherwise than for all. */
  public interface Staging {
    /** Whether no consumer takes the job now. */
    boolean waits(Job job);

    /** Whether the grantor does not decide the check now. */
    boolean waits(Check check);

    /** How the job ends. */
    Optional<JobOutcome> outcome(Job job);

    /** How the check is decided. */
    Optional<Verdict> verdict(Check check);
  }

  private static final String REIMAGE = "host/Reimage";
  private static final List<String> TOPICS =
      List.of(
          "scheduler/static", "host/PackageUpdate", "host/CleanDisk", "host/PowerCycle", REIMAGE);

  private final Candidates candidates;
  private final FakeHolds holds;
  private final DrydockClient client;
  private final Fleet fleet;
  private final Map<JobStep, JobOutcome> outcomes = new ConcurrentHashMap<>();
  private final Map<JobStep, Predicate<String>> failing = new ConcurrentHashMap<>();
  private final Map<String, Consumer<String>> cures = new ConcurrentHashMap<>();
  private volatile boolean refusing;
  private final Set<String> begun = ConcurrentHashMap.newKeySet();
  private volatile Predicate<String> answering = host -> true;
  private volatile int most = Integer.MAX_VALUE;
  private final Map<JobStep, Predicate<String>> heldBack = new ConcurrentHashMap<>();
  private final Map<Check.Kind, Verdict> verdicts = new ConcurrentHashMap<>();
  private volatile Optional<Staging> staging = Optional.empty();
  private final List<String> done;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();

  /**
   * The world around a room.
   *
   * @param done gets every job done, as WORK HOST, with a ! after the work by force; it is its own
   *     lock
   */
  public SimulatedConsumers(
      Candidates candidates, Fleet fleet, DrydockClient client, List<String> done) {
    this.done = done;
    this.candidates = candidates;
    this.fleet = fleet;
    this.holds = fleet.holds;
    this.client = client;
  }

  /** How consumers end the jobs of a step from now on; by force they always do them. */
  public SimulatedConsumers outcome(JobStep step, JobOutcome outcome) {
    outcomes.put(step, outcome);
    return this;
  }

  /** Jobs of the step fail on these hosts from now on. */
  public SimulatedConsumers failing(JobStep step, Predicate<String> hosts) {
    failing.put(step, hosts);
    return this;
  }

  /** The host has recorded that its update began, though nobody here did it. */
  public SimulatedConsumers begun(String host) {
    begun.add(host);
    return this;
  }

  /** Which hosts answer when they are diagnosed, from now on. */
  public SimulatedConsumers answering(Predicate<String> hosts) {
    answering = hosts;
    return this;
  }

  /** Whether only people can mend what fails, from now on. */
  public SimulatedConsumers refusing(boolean only) {
    refusing = only;
    return this;
  }

  /** What such work does to its host before it ends, from now on. */
  public SimulatedConsumers cure(String work, Consumer<String> does) {
    cures.put(work, does);
    return this;
  }

  /** The grantor lets no more hosts be in progress from now on. */
  public SimulatedConsumers atOnce(int hosts) {
    most = hosts;
    return this;
  }

  /** No consumer takes jobs of the step from now on. */
  public SimulatedConsumers holdBack(JobStep step) {
    return holdBack(step, host -> true);
  }

  /** No consumer takes jobs of the step on these hosts from now on. */
  public SimulatedConsumers holdBack(JobStep step, Predicate<String> hosts) {
    heldBack.put(step, hosts);
    return this;
  }

  /** Consumers take them again. */
  public void letGo(JobStep step) {
    heldBack.remove(step);
  }

  /** What the grantor answers to a check from now on. */
  public SimulatedConsumers verdict(Check.Kind kind, Verdict verdict) {
    verdicts.put(kind, verdict);
    return this;
  }

  /** From now on. */
  public SimulatedConsumers staged(Staging by) {
    staging = Optional.of(by);
    return this;
  }

  public SimulatedConsumers start() {
    threads.add(Thread.ofVirtual().start(() -> repeat(this::grant)));
    return startConsumers();
  }

  /** Without a grantor: there is a real one. */
  public SimulatedConsumers startConsumers() {
    threads.add(Thread.ofVirtual().start(() -> repeat(this::work)));
    return this;
  }

  private void repeat(Runnable round) {
    try {
      while (!closed.await(50, TimeUnit.MILLISECONDS)) {
        round.run();
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void grant() {
    for (Candidate candidate : candidates.pending(List.of(), 100)) {
      boolean free =
          holds.table().locks().size() < most
              && candidate.hosts().stream()
                  .noneMatch(host -> holds.table().locks().containsKey(host));
      if (free) {
        candidates
            .propose(candidate, Fleet.GRANT)
            .ifPresent(
                proposal ->
                    candidates.committed(
                        proposal.grantId(), holds.commit(proposal.grantId(), candidate.hosts())));
      } else {
        candidates.waiting(Map.of(candidate, "the host is locked"));
      }
    }
    for (Check check : candidates.checks()) {
      if (staging.filter(by -> by.waits(check)).isEmpty()) {
        candidates.checked(check, verdict(check));
      }
    }
  }

  private Verdict verdict(Check check) {
    return staging
        .flatMap(by -> by.verdict(check))
        .orElseGet(() -> verdicts.getOrDefault(check.kind(), Fleet.GRANT));
  }

  /** What a job does: its step, of a hook with its stage; of a repair what it does. */
  public static String work(Job job) {
    if (job.hasRepair()) {
      return job.getRepair().name();
    }
    if (job.getStep() == JobStep.Update && job.getTopic().equals(REIMAGE)) {
      return "Reimage";
    }
    return job.hasHook() ? job.getStep() + ":" + job.getHook().getStage() : job.getStep().name();
  }

  private List<String> topics() {
    Stream<String> hooks =
        fleet.wanted.stream().flatMap(of -> of.hooks().stream()).map(hook -> "hook/" + hook.name());
    return Stream.concat(TOPICS.stream(), hooks.distinct()).toList();
  }

  private void work() {
    for (Job job : client.claimable(topics(), 100)) {
      if (heldBack.getOrDefault(job.getStep(), host -> false).test(job.getHost())
          || staging.filter(by -> by.waits(job)).isPresent()) {
        continue;
      }
      try {
        finish(client.claim(job.getId(), "world"));
      } catch (CallException lost) {
        if (lost.status() != 409) {
          throw lost;
        }
      }
    }
  }

  private void finish(ClaimedJob claimed) {
    Job job = claimed.getJob();
    cures.getOrDefault(work(job), host -> {}).accept(job.getHost());
    boolean fails = failing.getOrDefault(job.getStep(), host -> false).test(job.getHost());
    JobOutcome outcome =
        fails
            ? JobOutcome.Failed
            : staging
                .flatMap(by -> by.outcome(job))
                .orElseGet(() -> outcomes.getOrDefault(job.getStep(), JobOutcome.Done));
    if (job.isForce()) {
      outcome = JobOutcome.Done;
    }
    JobResult result =
        new JobResult().setOutcome(outcome).setMessage(job.getStep() + " " + outcome);
    if (job.getStep() == JobStep.Verify) {
      synchronized (done) {
        // As operators do, from what the host recorded of the update of any grant of this world.
        result.setBegun(
            begun.contains(job.getHost()) || done.contains(JobStep.Update + " " + job.getHost()));
      }
    }
    if (refusing && outcome == JobOutcome.Failed) {
      result.setMend(JobMend.People);
    }
    // As adapters do: what ends with an undisturbed host is reported with a read of it.
    boolean reads =
        List.of(JobStep.Cordon, JobStep.Recover, JobStep.Uncordon).contains(job.getStep());
    if (reads && outcome == JobOutcome.Done) {
      result.setMark(fleet.mark()).setInstances(new InstanceReportArray());
    }
    if (job.hasRepair()) {
      String reachable = String.valueOf(answering.test(job.getHost()));
      result.setFacts(
          new StringMap(Map.of("diagnosis.reachable", reachable, "diagnosis.signature", "odd")));
    }
    client.complete(job.getId(), claimed.getClaim(), result);
    synchronized (done) {
      done.add(work(job) + (job.isForce() ? "!" : "") + " " + job.getHost());
    }
  }

  @Override
  public void close() {
    closed.countDown();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
