package dev.drydock.orchestrator.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The numbers of batches that are made anew. Properties: batches stand in the order they are given
 * in; no two have one number, nor that of a batch some host of which is taken; a batch whose first
 * host stays where it stands keeps its number, so that little is written for a host that joins a
 * large rollout.
 *
 * @param numbers of the hosts that come into another batch
 * @param tooLarge batches that no grant takes
 */
record NewBatches(Map<String, Integer> numbers, List<List<String>> tooLarge) {

  /**
   * A host that has not ended.
   *
   * @param free whether nobody has it
   */
  record Open(String host, int batch, boolean free) {}

  /**
   * Numbers them.
   *
   * @param batches of all that are free, in the order of their first hosts
   * @param most at most so many hosts go together
   */
  static NewBatches of(List<Open> open, List<List<String>> batches, int most) {
    Map<String, Integer> before =
        open.stream().filter(Open::free).collect(Collectors.toMap(Open::host, Open::batch));
    Set<Integer> taken =
        open.stream().filter(one -> !one.free()).map(Open::batch).collect(Collectors.toSet());
    Map<String, Integer> numbers = new LinkedHashMap<>();
    List<List<String>> tooLarge = new ArrayList<>();
    int next = 0;
    for (List<String> batch : batches) {
      if (batch.size() > most) {
        tooLarge.add(batch);
        continue;
      }
      int number = Math.max(next, batch.stream().mapToInt(before::get).min().orElse(next));
      while (taken.contains(number)) {
        number++;
      }
      for (String host : batch) {
        if (!Objects.equals(before.get(host), number)) {
          numbers.put(host, number);
        }
      }
      next = number + 1;
    }
    return new NewBatches(numbers, tooLarge);
  }

  /** Whoever is written. */
  Collection<String> touched() {
    Set<String> touched = new HashSet<>(numbers.keySet());
    tooLarge.forEach(touched::addAll);
    return touched;
  }
}
