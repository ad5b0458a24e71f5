package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.FailureCause;
import dev.drydock.adapter.spi.HostReading;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Prober.Health;
import dev.drydock.api.HealthState;
import dev.drydock.api.InstanceReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The mirror of {@link DrainStep} and {@link CordonStep}, in this order: deploy what the host has
 * not, start, wait until healthy, back in rotation and read back, cordon lifted and read back; then
 * a mark, then the read that goes into the result.
 *
 * <p>An instance that was not healthy before the cordon is started and put back as it was found;
 * nobody waits for its health, and its sickness is no failure of this grant.
 *
 * <p>Services start at boot by themselves. That is harmless: the rotation stays drained until here.
 * One that somebody had stopped before the cordon is started, too: the boot starts it anyway, and
 * the allocation list says that it should run. Only its place in the rotation is kept.
 */
final class RecoverStep {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);
  private static final Duration HEALTHY_WITHIN = Duration.ofSeconds(90);

  private final StepContext use;

  RecoverStep(StepContext use) {
    this.use = use;
  }

  StepOutcome run(StepTarget stepTarget) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(stepTarget.host(), stepTarget.work());
    List<FixedInstance> putBack = servingBefore(stepTarget, before);
    List<FixedInstance> sickBefore = stepTarget.sickBefore(before);
    StepTarget required =
        stepTarget.with(
            stepTarget.instances().stream().filter(it -> !sickBefore.contains(it)).toList());
    StepTarget absent = absent(stepTarget, before);
    Optional<String> unlisted = programless(absent, sickBefore);
    if (unlisted.isPresent()) {
      return new StepOutcome.Failed(unlisted.get(), FailureCause.people("no-program"));
    }
    deploy(absent);
    start(required, stepTarget.with(sickBefore));
    Optional<String> sick = waitUntilHealthy(required);
    if (sick.isPresent()) {
      return new StepOutcome.Failed(
          sick.get() + "; the instances stay out of rotation",
          new FailureCause("application-unhealthy", Optional.empty(), false));
    }
    use.rotation().set(stepTarget.work(), putBack, true);
    if (before.cordon().isPresent()) {
      use.hosts().liftCordon(stepTarget.host(), stepTarget.work());
    }
    return verified(stepTarget, putBack, sickBefore);
  }

  /** What an installation of the operating system took away, say. */
  private static StepTarget absent(StepTarget stepTarget, HostState before) {
    return stepTarget.with(
        stepTarget.instances().stream()
            .filter(instance -> before.service(instance.service()) == HostState.Service.ABSENT)
            .toList());
  }

  /** Nobody waits for those that were sick before. */
  private static Optional<String> programless(StepTarget absent, List<FixedInstance> sickBefore) {
    return absent.instances().stream()
        .filter(instance -> instance.run().isEmpty() && !sickBefore.contains(instance))
        .findFirst()
        .map(
            instance ->
                "%s has no service %s, and the allocation list has no `run` for %s to deploy it by"
                    .formatted(absent.host().name(), instance.service(), instance.id()));
  }

  private void deploy(StepTarget absent) throws IOException, InterruptedException {
    Map<String, String> programs = new TreeMap<>();
    absent.instances().stream()
        .filter(instance -> !instance.run().isEmpty())
        .forEach(instance -> programs.put(instance.service(), instance.run()));
    if (!programs.isEmpty()) {
      use.hosts().deploy(absent.host(), absent.work(), programs);
    }
  }

  /** Also when all of them run: the wrapper lets this wait for a late stop of an expired drain. */
  private void start(StepTarget required, StepTarget sickBefore)
      throws IOException, InterruptedException {
    if (!required.instances().isEmpty()) {
      use.hosts().start(required.host(), required.work(), required.services());
    }
    if (!sickBefore.instances().isEmpty()) {
      use.hosts().tryStart(sickBefore.host(), sickBefore.work(), sickBefore.services());
    }
  }

  private StepOutcome verified(
      StepTarget stepTarget, List<FixedInstance> putBack, List<FixedInstance> sickBefore)
      throws IOException, InterruptedException {
    long mark = stepTarget.work().mark();
    HostState after = use.hosts().read(stepTarget.host());
    HostReading hostReading = new HostReading(mark, use.observer().host(stepTarget.host(), after));
    if (after.cordon().isPresent()) {
      return new StepOutcome.Failed(
          stepTarget.host().name() + " still shows a cordon after it was lifted",
          Optional.of(hostReading));
    }
    List<String> wanted = putBack.stream().map(FixedInstance::id).toList();
    List<String> excused = sickBefore.stream().map(FixedInstance::id).toList();
    List<InstanceReport> sickAsBefore = new ArrayList<>();
    for (InstanceReport report : hostReading.instances()) {
      if (report.getHealth() == HealthState.Healthy) {
        continue;
      }
      if (excused.contains(report.getId())) {
        sickAsBefore.add(report);
      } else if (wanted.contains(report.getId())) {
        return new StepOutcome.Failed(
            report.getId() + " is " + report.getHealth() + " after recovery: " + report.getDetail(),
            Optional.of(hostReading));
      }
    }
    return new StepOutcome.Done(
        message(stepTarget, sickAsBefore), Map.of(), Optional.of(hostReading));
  }

  private static String message(StepTarget stepTarget, List<InstanceReport> sickAsBefore) {
    List<String> sick = sickAsBefore.stream().map(InstanceReport::getId).toList();
    String serving =
        stepTarget
            .with(stepTarget.instances().stream().filter(it -> !sick.contains(it.id())).toList())
            .names();
    return Stream.concat(
            Stream.of(
                (serving.isEmpty() ? "nothing serves" : serving + " serve again")
                    + " on "
                    + stepTarget.host().name()),
            sickAsBefore.stream()
                .map(
                    report ->
                        report.getId()
                            + " was not healthy before the cordon either: "
                            + report.getDetail()))
        .collect(Collectors.joining("; "));
  }

  /** Empty when all are healthy; otherwise one that is not when the time is over. */
  private Optional<String> waitUntilHealthy(StepTarget stepTarget) throws InterruptedException {
    Duration end = stepTarget.work().remaining().minus(HEALTHY_WITHIN);
    while (true) {
      Optional<String> sick = sick(stepTarget.instances());
      if (sick.isEmpty()
          || stepTarget.work().remaining().compareTo(end) < 0
          || stepTarget.work().remaining().isZero()) {
        return sick;
      }
      stepTarget.work().lease().requireLive();
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
   * By the cordon of this grant, also when an earlier attempt lifted it; without any, all that are
   * listed.
   */
  private static List<FixedInstance> servingBefore(StepTarget stepTarget, HostState before) {
    String grant = stepTarget.work().job().getGrant();
    Optional<CordonMark> cordon =
        before.cordon().or(() -> before.lifted().filter(lifted -> lifted.grant().equals(grant)));
    return cordon
        .map(
            cordoned ->
                stepTarget.instances().stream()
                    .filter(instance -> cordoned.serving().contains(instance.id()))
                    .toList())
        .orElse(stepTarget.instances());
  }
}
