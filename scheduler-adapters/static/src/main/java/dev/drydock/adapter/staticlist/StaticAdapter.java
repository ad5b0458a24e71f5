package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.FailureCause;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.Observation;
import dev.drydock.adapter.spi.SchedulerAdapter;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The adapter of the static scheduler. Decides nothing by what it remembers. Thread-safe. */
final class StaticAdapter implements SchedulerAdapter {
  /** What the adapter works with. */
  record Tools(
      HostAccess hosts, Rotation rotation, Prober prober, PollDelay pace, InstantSource clock) {}

  private interface Step {
    StepOutcome run(StepTarget stepTarget) throws IOException, InterruptedException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(StaticAdapter.class);

  private final Supplier<Allocation> allocation;
  private final HostAccess hosts;
  private final Rotation places;
  private final boolean skipRotation;
  private final RotationReconciler rotation;
  private final InstanceObserver instanceObserver;
  private final CordonStep cordonStep;
  private final DrainStep drainStep;
  private final RecoverStep recoverStep;
  private final UncordonStep uncordonStep;

  /**
   * @param allocation the list as it is now; its scheduler and source stay
   * @param skipRotation a control for tests, see {@link DrainStep}
   */
  StaticAdapter(Supplier<Allocation> allocation, Tools tools, boolean skipRotation) {
    this.allocation = allocation;
    this.places = tools.rotation();
    this.skipRotation = skipRotation;
    this.hosts = tools.hosts();
    this.rotation = new RotationReconciler(tools.rotation(), tools.pace());
    this.instanceObserver =
        new InstanceObserver(allocation, tools.rotation(), tools.prober(), tools.clock());
    StepContext use =
        new StepContext(hosts, rotation, tools.prober(), instanceObserver, tools.pace());
    this.cordonStep = new CordonStep(use);
    this.drainStep = new DrainStep(use, skipRotation);
    this.recoverStep = new RecoverStep(use);
    this.uncordonStep = new UncordonStep(use);
  }

  @Override
  public String scheduler() {
    return allocation.get().scheduler();
  }

  @Override
  public String source() {
    return allocation.get().source();
  }

  @Override
  public StepOutcome cordon(ClaimedStep claimedStep) throws InterruptedException {
    return run(claimedStep, cordonStep::run);
  }

  @Override
  public StepOutcome drain(ClaimedStep claimedStep) throws InterruptedException {
    return run(claimedStep, drainStep::run);
  }

  @Override
  public StepOutcome recover(ClaimedStep claimedStep) throws InterruptedException {
    return run(claimedStep, recoverStep::run);
  }

  @Override
  public StepOutcome uncordon(ClaimedStep claimedStep) throws InterruptedException {
    return run(claimedStep, uncordonStep::run);
  }

  @Override
  public Observation observe() throws InterruptedException {
    return instanceObserver.all();
  }

  @Override
  public Set<String> admitted(Set<String> hosts) throws IOException {
    if (skipRotation) {
      return Set.of();
    }
    Allocation listed = allocation.get();
    Set<String> admitted = places.admitted();
    return hosts.stream()
        .filter(host -> listed.on(host).stream().anyMatch(it -> admitted.contains(key(it))))
        .collect(Collectors.toSet());
  }

  @Override
  public List<String> takeOut(String host, Lease lease) throws IOException {
    Set<String> admitted = places.admitted();
    List<String> taken = new ArrayList<>();
    for (FixedInstance instance : allocation.get().on(host)) {
      if (admitted.contains(key(instance))) {
        places.drain(instance, lease);
        taken.add(instance.id());
      }
    }
    instanceObserver.tookOut(taken);
    return taken;
  }

  @Override
  public void putBack(String host, List<String> instances, Lease lease) throws IOException {
    for (FixedInstance instance : allocation.get().on(host)) {
      if (instances.contains(instance.id())) {
        places.ready(instance, lease);
      }
    }
  }

  private static String key(FixedInstance instance) {
    return Rotation.Snapshot.key(instance.application(), instance.host());
  }

  private StepOutcome run(ClaimedStep claimedStep, Step step) throws InterruptedException {
    String name = claimedStep.job().getHost();
    Allocation listed = allocation.get();
    Optional<FixedHost> host = listed.host(name);
    if (host.isEmpty()) {
      return new StepOutcome.Failed(
          name + " is not in the allocation list; nothing was done",
          FailureCause.people("not-listed"));
    }
    try {
      StepTarget stepTarget = new StepTarget(claimedStep, host.get(), listed.on(name));
      if (claimedStep.attempt() > 1) {
        rotation.awaitQuiet(stepTarget.instances());
      }
      return step.run(stepTarget);
    } catch (HostException e) {
      LOG.warn("{}: {}", claimedStep.job().getId(), String.valueOf(e.getMessage()));
      return switch (e.kind()) {
        case UNREACHABLE ->
            new StepOutcome.Unknown(
                String.valueOf(e.getMessage()), FailureCause.time("host-unreachable"));
        case FENCED ->
            new StepOutcome.Unknown(
                String.valueOf(e.getMessage()), FailureCause.time("older-token"));
        case FAILED -> readBack(host.get(), String.valueOf(e.getMessage()));
      };
    } catch (IOException e) {
      LOG.warn("{}: {}", claimedStep.job().getId(), String.valueOf(e.getMessage()));
      return new StepOutcome.Unknown(
          String.valueOf(e.getMessage()), FailureCause.time("balancer-unreachable"));
    }
  }

  /** A failed command leaves a known state only when the host can still be read. */
  private StepOutcome readBack(FixedHost host, String why) throws InterruptedException {
    try {
      return new StepOutcome.Failed(
          why + "; services now: " + hosts.read(host).services(),
          new FailureCause("host-command-failed", Optional.empty(), false));
    } catch (HostException e) {
      return new StepOutcome.Unknown(
          why + "; and " + String.valueOf(e.getMessage()), FailureCause.time("host-unreachable"));
    }
  }
}
