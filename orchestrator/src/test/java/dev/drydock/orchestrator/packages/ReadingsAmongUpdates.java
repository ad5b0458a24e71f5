package dev.drydock.orchestrator.packages;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.PackageReading;
import dev.drydock.api.PackagesDue;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.jobs.EffectMarks;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.store.PageRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;

/**
 * Hosts that are updated again and again, by batches and by holders of locks, while readings of
 * their packages begin, are taken and are reported at any moment; some late, some twice. Nobody
 * else changes anything.
 */
final class ReadingsAmongUpdates {
  private static final int HOSTS = 10;

  private final Jdbi jdbi;
  private final Fleet fleet;
  private final HostsInHands hands;
  private final PackageWatch watch;
  private final Random random;
  private final List<String> hosts = new ArrayList<>();
  private final Map<String, Integer> packages = new HashMap<>();

  /** What is yet to be done of the update of each host. */
  private final Map<String, List<Runnable>> atWork = new HashMap<>();

  private final List<PackagesDue> offered = new ArrayList<>();
  private final List<PackageReading> read = new ArrayList<>();

  int updates;
  int taken;

  ReadingsAmongUpdates(
      Jdbi jdbi, Fleet fleet, HostsInHands hands, PackageWatch watch, Random random) {
    this.jdbi = jdbi;
    this.fleet = fleet;
    this.hands = hands;
    this.watch = watch;
    this.random = random;
    for (int i = 0; i < HOSTS; i++) {
      String host = "h" + i;
      fleet.host(host);
      hosts.add(host);
      packages.put(host, 0);
    }
    fleet.rollout("r1", hosts.toArray(String[]::new));
  }

  /** Goes on until so many updates have ended. */
  void run(int wanted) {
    while (updates < wanted) {
      hosts.stream().filter(_ -> random.nextInt(4) == 0).forEach(this::work);
      switch (random.nextInt(3)) {
        case 0 -> offered.addAll(watch.due(0, new PageRequest(0, HOSTS)).elements());
        case 1 -> someOf(offered).forEach(this::take);
        default -> report();
      }
    }
  }

  private void work(String host) {
    List<Runnable> left = atWork.getOrDefault(host, List.of());
    if (!left.isEmpty()) {
      left.removeFirst().run();
    } else if (random.nextBoolean()) {
      atWork.put(host, random.nextInt(4) > 0 ? batch(host) : lock(host));
    }
  }

  private List<Runnable> batch(String host) {
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> hands.lock(host, Kind.BATCH));
    steps.add(() -> fleet.asIf.are(HostUpgradeState.InProgress, host));
    changes(steps, host);
    steps.add(() -> jdbi.useHandle(handle -> EffectMarks.effectNow(handle, host)));
    steps.add(() -> fleet.asIf.are(HostUpgradeState.Upgraded, host));
    steps.add(() -> hands.end(host, 0));
    steps.add(() -> updates++);
    return steps;
  }

  private List<Runnable> lock(String host) {
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> hands.lock(host, Kind.SESSION));
    changes(steps, host);
    steps.add(() -> hands.end(host, 0));
    steps.add(() -> updates++);
    return steps;
  }

  private void changes(List<Runnable> steps, String host) {
    for (int i = random.nextInt(3); i >= 0; i--) {
      steps.add(() -> packages.merge(host, 1, Integer::sum));
    }
  }

  private void take(PackagesDue due) {
    offered.remove(due);
    read.add(
        new PackageReading()
            .setHost(due.getHost())
            .setStamp(due.getStamp())
            .setAskedAt(due.getAskedAt())
            .setDigest("%064x".formatted(packages.get(due.getHost())))
            .setFault(""));
  }

  private void report() {
    List<PackageReading> sent = someOf(read);
    taken += watch.report(sent);
    if (random.nextInt(4) > 0) {
      read.removeAll(sent);
    }
  }

  private <T> List<T> someOf(List<T> all) {
    return all.stream().filter(_ -> random.nextInt(4) > 0).toList();
  }
}
