package dev.drydock.impact.core;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One question as it was put to a controller, and what came of it. Times are of the clock of the
 * fleet's view.
 *
 * @param round counts the questions of a topic
 * @param at when it was put
 * @param presumedDown instances the controller was told to take for down
 */
public record ControllerInquiry(
    long round, Instant at, List<Group> groups, Set<String> presumedDown, Outcome outcome) {

  public ControllerInquiry {
    groups = List.copyOf(groups);
    presumedDown = Set.copyOf(presumedDown);
  }

  /** Instances that go down together or not at all; see {@link ControllerQuestion#begun}. */
  public record Group(Set<String> instances, boolean begun) {
    public Group {
      instances = Set.copyOf(instances);
    }
  }

  /** What came of it so far. */
  public sealed interface Outcome {}

  /** Nothing yet. */
  public record Open() implements Outcome {}

  /**
   * It answered as it has to.
   *
   * @param approved may go down together with each other
   * @param says why not the others, to follow the controller's name
   * @param until when the approval ends
   * @param again when to ask about the others again
   */
  public record Answered(Set<String> approved, String says, Instant until, Instant again)
      implements Outcome {
    public Answered {
      approved = Set.copyOf(approved);
    }
  }

  /**
   * No answer came in time.
   *
   * @param why to follow the controller's name
   */
  public record Silent(String why, Instant again) implements Outcome {}

  boolean open() {
    return outcome instanceof Open;
  }

  /** Whether any of the instances was asked about; once begun, only as such. */
  boolean about(Set<String> ids, boolean begun) {
    return groups.stream()
        .anyMatch(
            group -> (group.begun() || !begun) && !Collections.disjoint(group.instances(), ids));
  }

  Set<String> instances() {
    return groups.stream()
        .flatMap(group -> group.instances().stream())
        .collect(Collectors.toUnmodifiableSet());
  }
}
