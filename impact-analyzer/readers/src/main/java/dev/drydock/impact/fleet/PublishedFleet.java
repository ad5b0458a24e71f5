package dev.drydock.impact.fleet;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.plan.CompactFleet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An instance of Google's machine reassignment problem (ROADEF/EURO challenge 2012) read as a
 * fleet: a machine is a host, a location a fault zone, a service an application, a process an
 * instance, placed by the initial assignment.
 *
 * <p>The model is a list of whole numbers: resources r, then r × 2; machines m, then for each its
 * neighbourhood, location, 2 r capacities and m costs of moves; services s, then for each
 * spreadMin, k and k dependencies; processes p, then for each its service, r requirements and a
 * cost. What follows is not read. The assignment is p numbers of machines.
 *
 * @param policies of comparisons: of each service a tenth of its instances may be down, rounded
 *     down, but one, and what a single host carries, always
 */
public record PublishedFleet(CompactFleet fleet, Policies policies) {
  private static final int MOST = 1_000_000;

  /** {@code model_NAME.txt} with {@code assignment_NAME.txt} beside it. */
  public static PublishedFleet read(Path model, Duration expected) throws InvalidInputException {
    Path assignment =
        model.resolveSibling(model.getFileName().toString().replaceFirst("^model_", "assignment_"));
    Numbers numbers = Numbers.of(model);
    int resources = numbers.next("the number of resources", MOST);
    numbers.skip(2L * resources);
    int machines = numbers.next("the number of machines", MOST);
    CompactFleet.Builder fleet = new CompactFleet.Builder(expected);
    int[] location = new int[machines];
    for (int machine = 0; machine < machines; machine++) {
      numbers.skip(1);
      location[machine] = numbers.next("a location", MOST);
      numbers.skip(2L * resources + machines);
      fleet.host("m" + machine);
    }
    int services = numbers.next("the number of services", MOST);
    for (int service = 0; service < services; service++) {
      numbers.skip(1);
      numbers.skip(numbers.next("a number of dependencies", MOST));
      fleet.application("s" + service);
    }
    int processes = numbers.next("the number of processes", MOST);
    Numbers assigned = Numbers.of(assignment);
    Map<Long, Integer> together = new HashMap<>();
    int[] size = new int[services];
    int[] most = new int[services];
    for (int process = 0; process < processes; process++) {
      int service = numbers.next("a service", services - 1);
      numbers.skip(resources + 1L);
      int machine = assigned.next("a machine", machines - 1);
      fleet.instance(machine, service, fleet.zone("l" + location[machine]), 1);
      size[service]++;
      int here = together.merge((long) service << 32 | machine, 1, Integer::sum);
      most[service] = Math.max(most[service], here);
    }
    Map<String, Policy> policies = new HashMap<>();
    for (int service = 0; service < services; service++) {
      int down = Math.max(Math.max(1, size[service] / 10), most[service]);
      policies.put("s" + service, policy("s" + service, down));
    }
    return new PublishedFleet(fleet.build(), new Policies(policies, Map.of()));
  }

  private static Policy policy(String application, int down) {
    return new Policy(
        application,
        1,
        "published",
        List.of(application),
        List.of(new MaxUnavailable(new Amount.Count(down))),
        new DesiredInstances.FromScheduler(),
        Policy.DEFAULT_HEALTH_AGE_MAX,
        Policy.DEFAULT_DRAIN_TIMEOUT);
  }

  /** Whole numbers, separated by white space. */
  private static final class Numbers {
    private final Path file;
    private final String[] words;
    private int at;

    private Numbers(Path file, String[] words) {
      this.file = file;
      this.words = words;
    }

    static Numbers of(Path file) throws InvalidInputException {
      try {
        return new Numbers(file, Files.readString(file).strip().split("\\s+"));
      } catch (IOException unreadable) {
        throw new InvalidInputException(
            List.of(file + ": cannot be read: " + unreadable.getMessage()));
      }
    }

    int next(String what, int most) throws InvalidInputException {
      String word = at < words.length ? words[at] : "";
      at++;
      if (!word.matches("\\d{1,9}") || Integer.parseInt(word) > most) {
        throw new InvalidInputException(
            List.of(
                "%s: number %d must be %s from 0 to %d, is %s"
                    .formatted(
                        file, at, what, most, word.isEmpty() ? "missing" : "'" + word + "'")));
      }
      return Integer.parseInt(word);
    }

    void skip(long count) throws InvalidInputException {
      long left = words.length - at;
      if (count > left) {
        throw new InvalidInputException(
            List.of(
                "%s: is cut off: it ends after %d numbers, %d short"
                    .formatted(file, words.length, count - left)));
      }
      at += (int) count;
    }
  }
}
