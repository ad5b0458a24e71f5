package dev.drydock.adapter.spi;

import dev.drydock.api.HealthState;
import dev.drydock.api.InstanceReport;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** An adapter whose every step is the one a test gives it. */
final class FakeAdapter implements SchedulerAdapter {
  interface Step {
    StepOutcome run(ClaimedStep claimedStep) throws InterruptedException;
  }

  /** Runs when the inventory is read. */
  Runnable onObserve = () -> {};

  /** What is read of its one instance. */
  volatile HealthState health = HealthState.Healthy;

  /** Hosts whose instance the balancer lets in. */
  final Set<String> inRotation = ConcurrentHashMap.newKeySet();

  /** Runs right before a host is taken out. */
  Runnable onTakeOut = () -> {};

  /** Of which the balancer answers nothing of use. */
  String odd = "";

  private final Step step;

  FakeAdapter(Step step) {
    this.step = step;
  }

  @Override
  public String scheduler() {
    return "static";
  }

  @Override
  public String source() {
    return "static";
  }

  @Override
  public StepOutcome cordon(ClaimedStep claimedStep) throws InterruptedException {
    return step.run(claimedStep);
  }

  @Override
  public StepOutcome drain(ClaimedStep claimedStep) throws InterruptedException {
    return step.run(claimedStep);
  }

  @Override
  public StepOutcome recover(ClaimedStep claimedStep) throws InterruptedException {
    return step.run(claimedStep);
  }

  @Override
  public StepOutcome uncordon(ClaimedStep claimedStep) throws InterruptedException {
    return step.run(claimedStep);
  }

  @Override
  public Set<String> admitted(Set<String> hosts) {
    return hosts.stream().filter(inRotation::contains).collect(Collectors.toSet());
  }

  @Override
  public List<String> takeOut(String host, Lease lease) throws IOException {
    if (host.equals(odd)) {
      throw new IOException("planted");
    }
    lease.requireLive();
    onTakeOut.run();
    return inRotation.remove(host) ? List.of("web@" + host) : List.of();
  }

  @Override
  public void putBack(String host, List<String> instances, Lease lease) {
    lease.requireLive();
    inRotation.add(host);
  }

  @Override
  public Observation observe() {
    onObserve.run();
    return new Observation(List.of(), List.of(new InstanceReport().setHealth(health)));
  }
}
