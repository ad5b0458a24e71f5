package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Prober.Health;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Reading;
import dev.drydock.api.HealthState;
import dev.drydock.api.InstanceReport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The mirror of {@link Drain} and {@link Freeze}, in this order: start, wait until healthy, back in
 * rotation and read back, cordon lifted and read back; then a mark, then the read that goes into
 * the result.
 *
 * <p>Services start at boot by themselves. That is harmless: the rotation stays drained until here.
 */
final class Recover {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);
  private static final Duration HEALTHY_WITHIN = Duration.ofSeconds(90);

  private final Instruments use;

  Recover(Instruments use) {
    this.use = use;
  }

  Outcome run(Target target) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(target.host(), target.work());
    List<FixedInstance> putBack = servingBefore(target, before);
    // Also when all of them run: the wrapper lets this wait for a late stop of an expired drain.
    use.hosts().start(target.host(), target.work(), target.services());
    Optional<String> sick = waitUntilHealthy(target);
    if (sick.isPresent()) {
      return new Outcome.Failed(sick.get() + "; the instances stay out of rotation");
    }
    use.rotation().set(target.work(), putBack, true);
    if (before.cordon().isPresent()) {
      use.hosts().liftCordon(target.host(), target.work());
    }
    return verified(target, putBack);
  }

  private Outcome verified(Target target, List<FixedInstance> putBack)
      throws IOException, InterruptedException {
    long mark = target.work().mark();
    HostState after = use.hosts().read(target.host());
    Reading reading = new Reading(mark, use.observer().host(target.host(), after));
    if (after.cordon().isPresent()) {
      return new Outcome.Failed(
          target.host().name() + " still shows a cordon after it was lifted", Optional.of(reading));
    }
    List<String> wanted = putBack.stream().map(FixedInstance::id).toList();
    for (InstanceReport report : reading.instances()) {
      if (wanted.contains(report.getId()) && report.getHealth() != HealthState.Healthy) {
        return new Outcome.Failed(
            report.getId() + " is " + report.getHealth() + " after recovery: " + report.getDetail(),
            Optional.of(reading));
      }
    }
    return new Outcome.Done(
        target.names() + " serve again on " + target.host().name(), Map.of(), Optional.of(reading));
  }

  /** Empty when all are healthy; otherwise one that is not when the time is over. */
  private Optional<String> waitUntilHealthy(Target target) throws InterruptedException {
    Duration end = target.work().remaining().minus(HEALTHY_WITHIN);
    while (true) {
      Optional<String> sick = sick(target.instances());
      if (sick.isEmpty()
          || target.work().remaining().compareTo(end) < 0
          || target.work().remaining().isZero()) {
        return sick;
      }
      target.work().lease().requireLive();
      use.pace().pause(LOOK_EVERY);
    }
  }

  private Optional<String> sick(List<FixedInstance> instances) throws InterruptedException {
    for (Map.Entry<FixedInstance, Health> answer : use.prober().probe(instances).entrySet()) {
      String why =
          switch (answer.getValue()) {
            case Health.Ready ready -> "";
            case Health.NotReady notReady -> notReady.why();
            case Health.Absent absent -> absent.why();
            case Health.Silent silent -> silent.why();
          };
      if (!why.isEmpty()) {
        return Optional.of(answer.getKey().id() + " does not become healthy: " + why);
      }
    }
    return Optional.empty();
  }

  /**
   * By the cordon of the freeze, also when an earlier attempt lifted it; without any, all that are
   * listed.
   */
  private static List<FixedInstance> servingBefore(Target target, HostState before) {
    String grant = target.work().job().getGrant();
    Optional<Cordon> cordon =
        before.cordon().or(() -> before.lifted().filter(lifted -> lifted.grant().equals(grant)));
    return cordon
        .map(
            frozen ->
                target.instances().stream()
                    .filter(instance -> frozen.serving().contains(instance.id()))
                    .toList())
        .orElse(target.instances());
  }
}
