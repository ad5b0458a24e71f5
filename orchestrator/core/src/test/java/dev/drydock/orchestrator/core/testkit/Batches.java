package dev.drydock.orchestrator.core.testkit;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Grant.TurnedBack;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.RunningInstance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Builds what is known of a batch. It begins as grant g1 of rollout r1: confirmed by nobody, with
 * its hosts as they were before, and no jobs.
 */
public final class Batches {
  /** What policies say where a test does not. */
  public static final DrainTerms DRAIN =
      new DrainTerms(
          Duration.ofMinutes(5),
          new LateDrain(LateDrain.Way.REVERT, Duration.ofMinutes(30), Duration.ofHours(4)));

  public static final RepairLimits LIMITS = new RepairLimits(2, 3, Duration.ofHours(1));

  private Instant now = JobBuilder.NOW;
  private Grant grant;
  private String mode = "PackageUpdate";
  private Optional<String> aborted = Optional.empty();
  private final Map<String, BatchHost> hosts = new TreeMap<>();
  private boolean quarantined;
  private final Map<String, BatchJob> jobs = new LinkedHashMap<>();
  private final Map<Check.Kind, Check> checks = new EnumMap<>(Check.Kind.class);
  private List<BatchHook> hooks = List.of();
  private List<HookPolicy> wanted = List.of();
  private final List<RunningInstance> running = new ArrayList<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Remediation> remediations = new ArrayList<>();
  private RepairLimits limits = LIMITS;
  private final Map<String, RepairLoad> loads = new TreeMap<>();

  private Batches(Grant grant) {
    this.grant = grant;
  }

  /** A batch of these hosts. */
  public static Batches of(String... names) {
    Batches batch =
        new Batches(
            new Grant(
                "g1",
                "r1",
                1,
                true,
                GrantStage.PROVISIONAL,
                false,
                Optional.empty(),
                false,
                Optional.empty(),
                OnHostFailure.ABORT,
                Optional.empty()));
    for (String name : names) {
      batch.hosts.put(name, plain(name));
    }
    return batch;
  }

  /** A batch as this snapshot says, to be changed. */
  public static Batches from(BatchSnapshot read) {
    Batches batch = new Batches(read.grant());
    batch.now = read.now();
    batch.mode = read.mode();
    batch.aborted = read.aborted();
    read.hosts().forEach(host -> batch.hosts.put(host.name(), host));
    batch.quarantined = read.quarantined();
    read.jobs().forEach(batchJob -> batch.jobs.put(batchJob.id(), batchJob));
    read.checks().forEach(check -> batch.checks.put(check.kind(), check));
    batch.hooks = read.hooks();
    batch.wanted = read.wanted();
    batch.running.addAll(read.running());
    batch.decisions.addAll(read.decisions());
    batch.remediations.addAll(read.remediations());
    batch.limits = read.limits();
    batch.loads.putAll(read.loads());
    return batch;
  }

  private static BatchHost plain(String name) {
    return new BatchHost(
        name, "static", false, "", "", Optional.empty(), Optional.empty(), DRAIN, Ladder.NONE);
  }

  /** What is known of it. */
  public BatchSnapshot snapshot() {
    return new BatchSnapshot(
        now,
        grant,
        mode,
        aborted,
        List.copyOf(hosts.values()),
        quarantined,
        List.copyOf(jobs.values()),
        List.copyOf(checks.values()),
        hooks,
        wanted,
        running,
        decisions,
        remediations,
        limits,
        loads);
  }

  /** So much later. */
  public Batches later(Duration time) {
    now = now.plus(time);
    return this;
  }

  public Batches mode(String word) {
    mode = word;
    return this;
  }

  /** What is known of its grant. */
  public Batches grant(UnaryOperator<GrantBuilder> change) {
    grant = change.apply(new GrantBuilder(grant)).build();
    return this;
  }

  /** Worked by this run. */
  public Batches run(int number) {
    return grant(one -> one.run(number));
  }

  public Batches onHostFailure(OnHostFailure policy) {
    return grant(one -> one.onHostFailure(policy));
  }

  /** People aborted its rollout, and the board gives out nothing more that leads forward. */
  public Batches aborted(String why) {
    return aborting(why).grant(GrantBuilder::aborted);
  }

  /** People aborted its rollout; the board goes on, as an update has begun. */
  public Batches aborting(String why) {
    aborted = Optional.of(why);
    return this;
  }

  /** On its way back already. */
  public Batches goingBack(RollbackTarget end, String why) {
    return grant(one -> one.back(new TurnedBack(end, why)));
  }

  /** What is known of a host. */
  public Batches host(String name, UnaryOperator<HostBuilder> change) {
    BatchHost host = hosts.getOrDefault(name, plain(name));
    hosts.put(name, change.apply(new HostBuilder(host)).build());
    return this;
  }

  /** A host that left the batch before. */
  public Batches without(String name) {
    hosts.remove(name);
    return this;
  }

  public Batches quarantined() {
    quarantined = true;
    return this;
  }

  /** A job, in place of what was known of it. */
  public Batches job(JobBuilder batchJob) {
    return job(batchJob.build());
  }

  /** A job, in place of what was known of it. */
  public Batches job(BatchJob batchJob) {
    jobs.put(batchJob.id(), batchJob);
    return this;
  }

  /** A check, in place of what was known of it. */
  public Batches check(Check check) {
    checks.put(check.kind(), check);
    return this;
  }

  /** Hooks that are written down for it. */
  public Batches hooks(BatchHook... written) {
    hooks = List.of(written);
    return grant(one -> one.hooked(written.length > 0));
  }

  /** Hooks that policies want. */
  public Batches wants(HookPolicy... policies) {
    wanted = List.of(policies);
    return this;
  }

  /** An instance on a host. */
  public Batches runs(String application, String host) {
    running.add(new RunningInstance(application + "@" + host, application, host));
    return this;
  }

  /** Something to be decided, in place of what was known of it. */
  public Batches decision(Decision decision) {
    decisions.removeIf(one -> one.number() == decision.number());
    decisions.add(decision);
    return this;
  }

  public Batches remediation(Remediation remediation) {
    remediations.add(remediation);
    return this;
  }

  public Batches limits(RepairLimits all) {
    limits = all;
    return this;
  }

  public Batches load(String host, RepairLoad load) {
    loads.put(host, load);
    return this;
  }
}
