package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.HostReading;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Prober.Health;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Marks the host as cordoned, and reads what really runs there. Its counterpart is {@link
 * UncordonStep}.
 */
final class CordonStep {
  /** One lost answer must not excuse an instance from being healthy afterwards. */
  private static final int LOOKS = 3;

  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final StepContext use;

  CordonStep(StepContext use) {
    this.use = use;
  }

  StepOutcome run(StepTarget stepTarget) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(stepTarget.host(), stepTarget.work());
    String grant = stepTarget.work().job().getGrant();
    if (before.cordon().filter(cordon -> cordon.grant().equals(grant)).isEmpty()) {
      use.hosts()
          .cordon(
              stepTarget.host(),
              stepTarget.work(),
              new CordonMark(
                  grant, List.copyOf(serving(stepTarget, before)), sick(stepTarget, before)));
    }
    long mark = stepTarget.work().mark();
    HostState after = use.hosts().read(stepTarget.host());
    HostReading hostReading = new HostReading(mark, use.observer().host(stepTarget.host(), after));
    if (after.cordon().filter(cordon -> cordon.grant().equals(grant)).isEmpty()) {
      return new StepOutcome.Failed(
          stepTarget.host().name() + " shows no cordon of " + grant + " after it was set",
          Optional.of(hostReading));
    }
    String serving = String.join(",", after.cordon().get().serving());
    return new StepOutcome.Done(
        stepTarget.host().name()
            + " is cordoned; "
            + hostReading.instances().size()
            + " instances read",
        Map.of("inRotationBefore", serving),
        Optional.of(hostReading));
  }

  /**
   * An older cordon means that somebody before us took instances out and never put them back: they
   * belong in, too.
   */
  private Set<String> serving(StepTarget stepTarget, HostState before)
      throws IOException, InterruptedException {
    Set<String> serving = new LinkedHashSet<>();
    Rotation.Snapshot now = use.rotation().read();
    stepTarget.instances().stream()
        .filter(now::serves)
        .map(FixedInstance::id)
        .forEach(serving::add);
    before.cordon().ifPresent(cordon -> serving.addAll(cordon.serving()));
    return serving;
  }

  /**
   * Instances that were not healthy in any look. An instance is excused if it was sick before the
   * oldest cordon; the work under an older cordon may have made the others sick.
   */
  private List<String> sick(StepTarget stepTarget, HostState before) throws InterruptedException {
    List<FixedInstance> sick = stepTarget.instances();
    for (int look = 1; look <= LOOKS && !sick.isEmpty(); look++) {
      if (look > 1) {
        use.pace().pause(LOOK_EVERY);
      }
      Map<FixedInstance, Health> answers = use.prober().probe(sick);
      sick = sick.stream().filter(it -> !(answers.get(it) instanceof Health.Ready)).toList();
    }
    return sick.stream()
        .map(FixedInstance::id)
        .filter(id -> before.cordon().map(older -> older.sick().contains(id)).orElse(true))
        .toList();
  }
}
