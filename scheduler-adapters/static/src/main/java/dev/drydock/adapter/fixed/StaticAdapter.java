package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.spi.Observation;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.SchedulerAdapter;
import dev.drydock.adapter.spi.Work;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The adapter of the static scheduler. Keeps nothing in memory between steps. Thread-safe. */
final class StaticAdapter implements SchedulerAdapter {
  /** What the adapter works with. */
  record Tools(Hosts hosts, Rotation rotation, Prober prober, Pace pace, InstantSource clock) {}

  private interface Step {
    Outcome run(Target target) throws IOException, InterruptedException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(StaticAdapter.class);

  private final Allocation allocation;
  private final Hosts hosts;
  private final Steady rotation;
  private final Observer observer;
  private final Freeze freeze;
  private final Drain drain;
  private final Recover recover;
  private final Thaw thaw;

  StaticAdapter(Allocation allocation, Tools tools, boolean skipRotation) {
    this.allocation = allocation;
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
    return allocation.scheduler();
  }

  @Override
  public String source() {
    return allocation.source();
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

  private Outcome run(Work work, Step step) throws InterruptedException {
    String name = work.job().getHost();
    Optional<FixedHost> host = allocation.host(name);
    if (host.isEmpty()) {
      return new Outcome.Failed(name + " is not in the allocation list; nothing was done");
    }
    try {
      Target target = new Target(work, host.get(), allocation.on(name));
      if (work.attempt() > 1) {
        rotation.awaitQuiet(target.instances());
      }
      return step.run(target);
    } catch (HostException e) {
      LOG.warn("{}: {}", work.job().getId(), String.valueOf(e.getMessage()));
      return switch (e.kind()) {
        case UNREACHABLE, FENCED -> new Outcome.Unknown(String.valueOf(e.getMessage()));
        case FAILED -> readBack(host.get(), String.valueOf(e.getMessage()));
      };
    } catch (IOException e) {
      LOG.warn("{}: {}", work.job().getId(), String.valueOf(e.getMessage()));
      return new Outcome.Unknown(String.valueOf(e.getMessage()));
    }
  }

  /** A failed command leaves a known state only when the host can still be read. */
  private Outcome readBack(FixedHost host, String why) throws InterruptedException {
    try {
      return new Outcome.Failed(why + "; services now: " + hosts.read(host).services());
    } catch (HostException e) {
      return new Outcome.Unknown(why + "; and " + String.valueOf(e.getMessage()));
    }
  }
}
