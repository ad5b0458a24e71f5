package dev.drydock.impact.core;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a controller answered, as it came in.
 *
 * @param approved may go down together, those first that should go first
 * @param denied may not go down
 * @param waiting may go down soon
 */
public record ControllerAnswer(
    Decision decision, List<String> approved, List<String> denied, List<String> waiting) {

  /** The answer in one word; the lists have to agree. */
  public enum Decision {
    APPROVED,
    /** Some of it. */
    PARTIAL,
    DENIED,
    WAIT
  }

  public ControllerAnswer {
    approved = List.copyOf(approved);
    denied = List.copyOf(denied);
    waiting = List.copyOf(waiting);
  }

  /** What is wrong with it as an answer about these groups, in one sentence; empty when nothing. */
  public Optional<String> fault(Collection<Set<String>> groups) {
    Set<String> asked = new TreeSet<>();
    groups.forEach(asked::addAll);
    Set<String> named = new HashSet<>();
    for (String id : Stream.of(approved, denied, waiting).flatMap(List::stream).toList()) {
      if (!asked.contains(id)) {
        return Optional.of("answer: instance " + id + " was not asked about");
      }
      if (!named.add(id)) {
        return Optional.of("answer: instance " + id + " is listed twice");
      }
    }
    Optional<String> missing = asked.stream().filter(id -> !named.contains(id)).findFirst();
    if (missing.isPresent()) {
      return Optional.of("answer: instance " + missing.get() + " is in none of the lists");
    }
    for (Set<String> group : groups) {
      long together = approved.stream().filter(group::contains).count();
      if (together != 0 && together != group.size()) {
        return Optional.of(
            "answer: %d of the %d instances of the group of %s are approved: a group goes down together or not at all"
                .formatted(together, group.size(), new TreeSet<>(group).first()));
      }
    }
    boolean agrees =
        switch (decision) {
          case APPROVED -> approved.size() == asked.size();
          case PARTIAL -> !approved.isEmpty() && approved.size() < asked.size();
          case DENIED -> approved.isEmpty() && !denied.isEmpty();
          case WAIT -> approved.isEmpty() && denied.isEmpty();
        };
    return agrees
        ? Optional.empty()
        : Optional.of(
            "answer: the decision %s contradicts the lists: %d approved, %d denied, %d waiting"
                .formatted(decision, approved.size(), denied.size(), waiting.size()));
  }
}
