package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.spi.Cause;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.Observation;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.SchedulerAdapter;
import dev.drydock.adapter.spi.Work;
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
  record Tools(Hosts hosts, Rotation rotation, Prober prober, Pace pace, InstantSource clock) {}

  private interface Step {
    Outcome run(Target target) throws IOException, InterruptedException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(StaticAdapter.class);

  private final Supplier<Allocation> allocation;
  private final Hosts hosts;
  private final Rotation places;
  private final boolean skipRotation;
  private final Steady rotation;
  private final Observer observer;
  private final Freeze freeze;
  private final Drain drain;
  private final Recover recover;
  private final Thaw thaw;

  /**
   * @param allocation the list as it is now; its scheduler and source stay
   * @param skipRotation a control for tests, see {@link Drain}
   */
  StaticAdapter(Supplier<Allocation> allocation, Tools tools, boolean skipRotation) {
    this.allocation = allocation;
    this.places = tools.rotation();
    this.skipRotation = skipRotation;
    this.hosts = tools.hosts();
    this.rotation = new Steady(tools.rotation(), tools.pace());
    this.observer = new Observer(allocation, tools.rotation(), tools.prober(), tools.clock());
    Instruments use = new Instruments(hosts, rotation, tools.prober(), observer, tools.pace());
    this.freeze = new Freeze(use);
    this.drain = new Drain(use, skipRotation);
    this.recover = new Recover(use);
    this.thaw = new Thaw(use);
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
  public Outcome freeze(Work work) throws InterruptedException {
    return run(work, freeze::run);
  }

  @Override
  public Outcome drain(Work work) throws InterruptedException {
    return run(work, drain::run);
  }

  @Override
  public Outcome recover(Work work) throws InterruptedException {
    return run(work, recover::run);
  }

  @Override
  public Outcome unfreeze(Work work) throws InterruptedException {
    return run(work, thaw::run);
  }

  @Override
  public Observation observe() throws InterruptedException {
    return observer.all();
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
    observer.tookOut(taken);
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

  private Outcome run(Work work, Step step) throws InterruptedException {
    String name = work.job().getHost();
    Allocation listed = allocation.get();
    Optional<FixedHost> host = listed.host(name);
    if (host.isEmpty()) {
      return new Outcome.Failed(
          name + " is not in the allocation list; nothing was done", Cause.people("not-listed"));
    }
    try {
      Target target = new Target(work, host.get(), listed.on(name));
      if (work.attempt() > 1) {
        rotation.awaitQuiet(target.instances());
      }
      return step.run(target);
    } catch (HostException e) {
      LOG.warn("{}: {}", work.job().getId(), String.valueOf(e.getMessage()));
      return switch (e.kind()) {
        case UNREACHABLE ->
            new Outcome.Unknown(String.valueOf(e.getMessage()), Cause.time("host-unreachable"));
        case FENCED ->
            new Outcome.Unknown(String.valueOf(e.getMessage()), Cause.time("older-token"));
        case FAILED -> readBack(host.get(), String.valueOf(e.getMessage()));
      };
    } catch (IOException e) {
      LOG.warn("{}: {}", work.job().getId(), String.valueOf(e.getMessage()));
      return new Outcome.Unknown(
          String.valueOf(e.getMessage()), Cause.time("balancer-unreachable"));
    }
  }

  /** A failed command leaves a known state only when the host can still be read. */
  private Outcome readBack(FixedHost host, String why) throws InterruptedException {
    try {
      return new Outcome.Failed(
          why + "; services now: " + hosts.read(host).services(),
          new Cause("host-command-failed", Optional.empty(), false));
    } catch (HostException e) {
      return new Outcome.Unknown(
          why + "; and " + String.valueOf(e.getMessage()), Cause.time("host-unreachable"));
    }
  }
}
