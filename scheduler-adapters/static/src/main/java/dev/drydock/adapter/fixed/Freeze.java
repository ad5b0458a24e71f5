package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Prober.Health;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Reading;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Marks the host as frozen, and reads what really runs there. Its counterpart is {@link Thaw}. */
final class Freeze {
  /** One lost answer must not excuse an instance from being healthy afterwards. */
  private static final int LOOKS = 3;

  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Instruments use;

  Freeze(Instruments use) {
    this.use = use;
  }

  Outcome run(Target target) throws IOException, InterruptedException {
    HostState before = use.hosts().claim(target.host(), target.work());
    String grant = target.work().job().getGrant();
    if (before.cordon().filter(cordon -> cordon.grant().equals(grant)).isEmpty()) {
      use.hosts()
          .cordon(
              target.host(),
              target.work(),
              new Cordon(grant, List.copyOf(serving(target, before)), sick(target, before)));
    }
    long mark = target.work().mark();
    HostState after = use.hosts().read(target.host());
    Reading reading = new Reading(mark, use.observer().host(target.host(), after));
    if (after.cordon().filter(cordon -> cordon.grant().equals(grant)).isEmpty()) {
      return new Outcome.Failed(
          target.host().name() + " shows no cordon of " + grant + " after it was set",
          Optional.of(reading));
    }
    String serving = String.join(",", after.cordon().get().serving());
    return new Outcome.Done(
        target.host().name() + " is frozen; " + reading.instances().size() + " instances read",
        Map.of("inRotationBefore", serving),
        Optional.of(reading));
  }

  /**
   * An older cordon means that somebody before us took instances out and never put them back: they
   * belong in, too.
   */
  private Set<String> serving(Target target, HostState before)
      throws IOException, InterruptedException {
    Set<String> serving = new LinkedHashSet<>();
    Rotation.Snapshot now = use.rotation().read();
    target.instances().stream().filter(now::serves).map(FixedInstance::id).forEach(serving::add);
    before.cordon().ifPresent(cordon -> serving.addAll(cordon.serving()));
    return serving;
  }

  /**
   * Not healthy in any look. Whoever left an older cordon may have made an instance sick: only one
   * that was so before them stays excused.
   */
  private List<String> sick(Target target, HostState before) throws InterruptedException {
    List<FixedInstance> sick = target.instances();
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
