package dev.drydock.impact.plan;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A made-up fleet: ten instances on each host, one application per thirty hosts, a zone per
 * hundred. Instances are placed at random; applications are of lognormal sizes, ten instances at
 * least, and work takes lognormal times, half an hour on average.
 *
 * @param spread of the sizes of applications: the σ of their logarithm; 0 makes them alike
 */
record SyntheticFleet(int hosts, double spread, int downPercent) {
  private static final int PER_HOST = 10;

  int applications() {
    return hosts / 30;
  }

  Path write(Path file) throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    int[] placed = placed(random);
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      writer.write("instance,application,host,zone,seconds\n");
      for (int host = 0; host < hosts; host++) {
        long seconds = Math.max(1, Math.round(1800 * Math.exp(-0.125 + 0.5 * normal(random))));
        for (int at = host * PER_HOST; at < (host + 1) * PER_HOST; at++) {
          writer.write("i%d,a%d,h%d,z%d,%d%n".formatted(at, placed[at], host, host / 100, seconds));
        }
      }
    }
    return file;
  }

  /** Which application each place holds, shuffled. */
  private int[] placed(SplittableRandom random) {
    double[] size = new double[applications()];
    Arrays.setAll(size, _ -> Math.exp(spread * normal(random)));
    double sum = Arrays.stream(size).sum();
    int[] placed = new int[hosts * PER_HOST];
    int at = 0;
    for (int application = 0; application < size.length; application++) {
      int instances = Math.max(10, (int) Math.round(size[application] / sum * placed.length));
      for (int i = 0; i < instances && at < placed.length; i++) {
        placed[at++] = application;
      }
    }
    while (at < placed.length) {
      placed[at++] = random.nextInt(size.length);
    }
    for (int i = placed.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int kept = placed[i];
      placed[i] = placed[other];
      placed[other] = kept;
    }
    return placed;
  }

  private static double normal(SplittableRandom random) {
    double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
    return radius * Math.cos(2 * Math.PI * random.nextDouble());
  }

  Policies policies() {
    Map<String, Policy> policies = new HashMap<>();
    for (int application = 0; application < applications(); application++) {
      String name = "a" + application;
      policies.put(
          name,
          new Policy(
              name,
              1,
              "team",
              List.of(name),
              List.of(new MaxUnavailable(new Amount.Percent(downPercent))),
              new DesiredInstances.FromScheduler(),
              Duration.ofMinutes(1),
              Duration.ofMinutes(5)));
    }
    return new Policies(policies, Map.of());
  }
}
