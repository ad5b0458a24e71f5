package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Prober.Health;
import dev.drydock.adapter.spi.Cause;
import dev.drydock.adapter.spi.Outcome;
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
 *       that was not healthy before the freeze is not asked;
 *   <li>only then the services are stopped, and read back.
 * </ol>
 *
 * When requests stay open for longer than policies say, nothing is stopped and what was in rotation
 * before is put back. By force it waits only for a moment, and then stops what is left; two people
 * said so.
 */
final class Drain {
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final int QUIET_LOOKS = 2;
  private static final String LEFT = "requests";

  /** Kept for stopping and reading back. */
  private static final Duration RESERVE = Duration.ofSeconds(10);

  /** Most requests end by themselves within it: force is for the others. */
  private static final Duration FORCE_AFTER = Duration.ofSeconds(5);

  private final Instruments use;
  private final boolean skipRotation;

  /**
   * @param skipRotation a control for tests: stop without taking out of rotation, so that requests
   *     must fail
   */
  Drain(Instruments use, boolean skipRotation) {
    this.use = use;
    this.skipRotation = skipRotation;
  }

  Outcome run(Target target) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(target.host(), target.work());
    Duration began = target.work().remaining();
    boolean force = target.work().force();
    Optional<String> forced = Optional.empty();
    if (skipRotation) {
      LOG.error(
          "TEST CONTROL: {} is stopped without being taken out of rotation", target.host().name());
    } else {
      List<FixedInstance> putBack = servingBefore(target, before);
      use.rotation().set(target.work(), target.instances(), false);
      Optional<String> stillOpen =
          waitUntilQuiet(
              target, asked(target, before), began.minus(force ? FORCE_AFTER : patience(target)));
      if (stillOpen.isPresent() && !force) {
        use.rotation().set(target.work(), putBack, true);
        return new Outcome.Failed(
            stillOpen.get() + "; nothing was stopped, the instances are back in rotation",
            Cause.time("not-drained").andUntouched(allRun(target, before)));
      }
      forced = stillOpen;
    }
    long waited = began.minus(target.work().remaining()).toMillis();
    return stop(target, before, waited, forced);
  }

  private Outcome stop(Target target, HostState before, long waitedMillis, Optional<String> forced)
      throws IOException, InterruptedException {
    HostState after = before;
    if (!running(target, before).isEmpty()) {
      after = use.hosts().stop(target.host(), target.work(), present(target, before).services());
    }
    List<FixedInstance> left = running(target, after);
    if (!left.isEmpty()) {
      return new Outcome.Failed(left.getFirst().id() + " still runs after it was stopped");
    }
    return new Outcome.Done(
        "stopped %s%s after %d ms of waiting for open requests%s"
            .formatted(
                target.names(),
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
      Target target, List<FixedInstance> asked, Duration leftLeast)
      throws IOException, InterruptedException {
    int quiet = 0;
    while (true) {
      target.work().lease().requireLive();
      // Sets and reads in one: somebody may have put an instance back meanwhile.
      Rotation.Snapshot places = use.rotation().set(target.work(), target.instances(), false);
      Optional<String> open = open(target, asked, places);
      quiet = open.isPresent() ? 0 : quiet + 1;
      if (quiet == QUIET_LOOKS) {
        return Optional.empty();
      }
      if (open.isPresent() && target.work().remaining().compareTo(leftLeast) < 0) {
        return open;
      }
      use.pace().pause(LOOK_EVERY);
    }
  }

  /** One reason why it is not quiet. How much is left is told wherever it is known. */
  private Optional<String> open(Target target, List<FixedInstance> asked, Rotation.Snapshot places)
      throws InterruptedException {
    long inBalancer = target.instances().stream().mapToLong(places::open).sum();
    if (inBalancer > 0) {
      target.work().left(inBalancer, LEFT);
    }
    for (FixedInstance instance : target.instances()) {
      if (places.open(instance) > 0) {
        return Optional.of(
            instance.id()
                + " still has "
                + places.open(instance)
                + " open requests in the balancer");
      }
    }
    Map<FixedInstance, Health> answers = use.prober().probe(asked);
    long inInstances = answers.values().stream().mapToLong(Drain::open).sum();
    if (inInstances > 0) {
      target.work().left(inInstances, LEFT);
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

  private List<FixedInstance> servingBefore(Target target, HostState before)
      throws IOException, InterruptedException {
    Optional<Cordon> cordon = before.cordon();
    if (cordon.isPresent()) {
      return target.instances().stream()
          .filter(instance -> cordon.get().serving().contains(instance.id()))
          .toList();
    }
    Rotation.Snapshot now = use.rotation().read();
    return target.instances().stream().filter(now::serves).toList();
  }

  /** As long as policies say, unless the step has to be over before. */
  private static Duration patience(Target target) {
    Duration most = target.work().remaining().minus(RESERVE);
    Duration wanted = target.work().drainMax();
    return wanted.compareTo(most) < 0 ? wanted : most;
  }

  /** A hung instance never tells how many requests are open, and a broken one may tell anything. */
  private static List<FixedInstance> asked(Target target, HostState before) {
    List<FixedInstance> sick = target.sickBefore(before);
    return running(target, before).stream().filter(instance -> !sick.contains(instance)).toList();
  }

  /** Nobody has stopped anything: not an attempt before this one either. */
  private static boolean allRun(Target target, HostState state) {
    return target.instances().stream()
        .allMatch(instance -> state.service(instance.service()) == HostState.Service.RUNS);
  }

  /** What its supervisor does not call stopped. */
  private static List<FixedInstance> running(Target target, HostState state) {
    return present(target, state).instances().stream()
        .filter(instance -> state.service(instance.service()) != HostState.Service.STOPPED)
        .toList();
  }

  /** What the host has a service for. */
  private static Target present(Target target, HostState state) {
    return target.with(
        target.instances().stream()
            .filter(instance -> state.service(instance.service()) != HostState.Service.ABSENT)
            .toList());
  }
}
