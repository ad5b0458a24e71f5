package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.FailureCause;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Prober.Health;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties a host. The order is the promise:
 *
 * <ol>
 *   <li>all its instances are out of rotation, read back;
 *   <li>no request is open, by the balancer's count and by the instances' own, twice in a row; one
 *       that was not healthy before the cordon is not asked;
 *   <li>only then the services are stopped, and read back.
 * </ol>
 *
 * When requests stay open for longer than policies say, nothing is stopped and what was in rotation
 * before is put back. By force it waits only for a moment, and then stops what is left; two people
 * said so.
 */
final class DrainStep {
  private static final Logger LOG = LoggerFactory.getLogger(DrainStep.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final int QUIET_LOOKS = 2;
  private static final String LEFT = "requests";

  /** Kept for stopping and reading back. */
  private static final Duration RESERVE = Duration.ofSeconds(10);

  /** Most requests end by themselves within it: force is for the others. */
  private static final Duration FORCE_AFTER = Duration.ofSeconds(5);

  private final StepContext use;
  private final boolean skipRotation;

  /**
   * @param skipRotation a control for tests: stop without taking out of rotation, so that requests
   *     must fail
   */
  DrainStep(StepContext use, boolean skipRotation) {
    this.use = use;
    this.skipRotation = skipRotation;
  }

  StepOutcome run(StepTarget stepTarget) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(stepTarget.host(), stepTarget.work());
    Duration began = stepTarget.work().remaining();
    boolean force = stepTarget.work().force();
    Optional<String> forced = Optional.empty();
    if (skipRotation) {
      LOG.error(
          "TEST CONTROL: {} is stopped without being taken out of rotation",
          stepTarget.host().name());
    } else {
      List<FixedInstance> putBack = servingBefore(stepTarget, before);
      use.rotation().set(stepTarget.work(), stepTarget.instances(), false);
      Optional<String> stillOpen =
          waitUntilQuiet(
              stepTarget,
              asked(stepTarget, before),
              began.minus(force ? FORCE_AFTER : patience(stepTarget)));
      if (stillOpen.isPresent() && !force) {
        use.rotation().set(stepTarget.work(), putBack, true);
        return new StepOutcome.Failed(
            stillOpen.get() + "; nothing was stopped, the instances are back in rotation",
            FailureCause.time("not-drained").andUntouched(allRun(stepTarget, before)));
      }
      forced = stillOpen;
    }
    long waited = began.minus(stepTarget.work().remaining()).toMillis();
    return stop(stepTarget, before, waited, forced);
  }

  private StepOutcome stop(
      StepTarget stepTarget, HostState before, long waitedMillis, Optional<String> forced)
      throws IOException, InterruptedException {
    HostState after = before;
    if (!running(stepTarget, before).isEmpty()) {
      after =
          use.hosts()
              .stop(stepTarget.host(), stepTarget.work(), present(stepTarget, before).services());
    }
    List<FixedInstance> left = running(stepTarget, after);
    if (!left.isEmpty()) {
      return new StepOutcome.Failed(left.getFirst().id() + " still runs after it was stopped");
    }
    return new StepOutcome.Done(
        "stopped %s%s after %d ms of waiting for open requests%s"
            .formatted(
                stepTarget.names(),
                forced.isPresent() ? " by force" : "",
                waitedMillis,
                forced.map(open -> ": " + open).orElse("")),
        Map.of("drainWaitMillis", "" + waitedMillis),
        Optional.empty());
  }

  /**
   * Empty when nothing is open any more; otherwise what still is, when less than that is left of
   * the time.
   */
  private Optional<String> waitUntilQuiet(
      StepTarget stepTarget, List<FixedInstance> asked, Duration leftLeast)
      throws IOException, InterruptedException {
    int quiet = 0;
    while (true) {
      stepTarget.work().lease().requireLive();
      // Sets and reads in one: somebody may have put an instance back meanwhile.
      Rotation.Snapshot places =
          use.rotation().set(stepTarget.work(), stepTarget.instances(), false);
      Optional<String> open = open(stepTarget, asked, places);
      quiet = open.isPresent() ? 0 : quiet + 1;
      if (quiet == QUIET_LOOKS) {
        return Optional.empty();
      }
      if (open.isPresent() && stepTarget.work().remaining().compareTo(leftLeast) < 0) {
        return open;
      }
      use.pace().pause(LOOK_EVERY);
    }
  }

  /** One reason why it is not quiet. How much is left is told wherever it is known. */
  private Optional<String> open(
      StepTarget stepTarget, List<FixedInstance> asked, Rotation.Snapshot places)
      throws InterruptedException {
    long inBalancer = stepTarget.instances().stream().mapToLong(places::open).sum();
    if (inBalancer > 0) {
      stepTarget.work().left(inBalancer, LEFT);
    }
    for (FixedInstance instance : stepTarget.instances()) {
      if (places.open(instance) > 0) {
        return Optional.of(
            instance.id()
                + " still has "
                + places.open(instance)
                + " open requests in the balancer");
      }
    }
    Map<FixedInstance, Health> answers = use.prober().probe(asked);
    long inInstances = answers.values().stream().mapToLong(DrainStep::open).sum();
    if (inInstances > 0) {
      stepTarget.work().left(inInstances, LEFT);
    }
    for (FixedInstance instance : asked) {
      String why =
          switch (answers.getOrDefault(instance, new Health.Silent("not asked"))) {
            case Health.Ready ready ->
                ready.open() == 0 ? "" : "still has " + ready.open() + " open requests";
            case Health.NotReady other ->
                other.open() == 0 ? "" : "is not ready with " + other.open() + " open requests";
            case Health.Absent absent -> "";
            case Health.Silent silent ->
                "does not tell how many requests are open: " + silent.why();
          };
      if (!why.isEmpty()) {
        return Optional.of(instance.id() + " " + why);
      }
    }
    return Optional.empty();
  }

  private static int open(Health answer) {
    return switch (answer) {
      case Health.Ready ready -> ready.open();
      case Health.NotReady other -> other.open();
      case Health.Absent absent -> 0;
      case Health.Silent silent -> 0;
    };
  }

  private List<FixedInstance> servingBefore(StepTarget stepTarget, HostState before)
      throws IOException, InterruptedException {
    Optional<CordonMark> cordon = before.cordon();
    if (cordon.isPresent()) {
      return stepTarget.instances().stream()
          .filter(instance -> cordon.get().serving().contains(instance.id()))
          .toList();
    }
    Rotation.Snapshot now = use.rotation().read();
    return stepTarget.instances().stream().filter(now::serves).toList();
  }

  /** As long as policies say, unless the step has to be over before. */
  private static Duration patience(StepTarget stepTarget) {
    Duration most = stepTarget.work().remaining().minus(RESERVE);
    Duration wanted = stepTarget.work().drainMax();
    return wanted.compareTo(most) < 0 ? wanted : most;
  }

  /** A hung instance never tells how many requests are open, and a broken one may tell anything. */
  private static List<FixedInstance> asked(StepTarget stepTarget, HostState before) {
    List<FixedInstance> sick = stepTarget.sickBefore(before);
    return running(stepTarget, before).stream()
        .filter(instance -> !sick.contains(instance))
        .toList();
  }

  /** Nobody has stopped anything: not an attempt before this one either. */
  private static boolean allRun(StepTarget stepTarget, HostState state) {
    return stepTarget.instances().stream()
        .allMatch(instance -> state.service(instance.service()) == HostState.Service.RUNS);
  }

  /** What its supervisor does not call stopped. */
  private static List<FixedInstance> running(StepTarget stepTarget, HostState state) {
    return present(stepTarget, state).instances().stream()
        .filter(instance -> state.service(instance.service()) != HostState.Service.STOPPED)
        .toList();
  }

  /** What the host has a service for. */
  private static StepTarget present(StepTarget stepTarget, HostState state) {
    return stepTarget.with(
        stepTarget.instances().stream()
            .filter(instance -> state.service(instance.service()) != HostState.Service.ABSENT)
            .toList());
  }
}
