package dev.drydock.impact.core;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is tried, one after the other, on a host on which a step failed after its update began,
 * before it is quarantined.
 *
 * @param approve those that a person approves before they are tried
 * @param onUnknown those that are tried although nobody recognises what the host has
 */
public record Ladder(List<Rung> rungs, Set<Rung> approve, Set<Rung> onUnknown) {
  /** Of a team that says nothing: the host is diagnosed, and nothing is tried. */
  public static final Ladder NONE = new Ladder(List.of());

  /** From the least to the most that happens to the host. */
  public enum Rung {
    /** The step that failed is done again. */
    RETRY_STEP("RetryStep"),
    /** What its scheduler runs there is stopped and started anew. */
    RESTART_SERVICE("RestartService"),
    /** What rules of its owner call safe is removed, and the step is done again. */
    CLEAN_DISK("CleanDisk"),
    /** The host is switched off and on, and the step is done again. */
    POWER_CYCLE("PowerCycle"),
    /** Its packages go back to the release before; it is not upgraded then. */
    ROLL_BACK("RollBack"),
    /** The release is installed on it anew; its data partition stays. */
    REIMAGE("Reimage");

    private final String word;

    Rung(String word) {
      this.word = word;
    }

    /** As policies spell it. */
    public String word() {
      return word;
    }

    /** The rung that policies spell so. */
    public static Rung of(String word) {
      return Stream.of(values())
          .filter(rung -> rung.word.equals(word))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no rung of a ladder: " + word));
    }
  }

  public Ladder {
    rungs = List.copyOf(rungs);
    approve = approve.isEmpty() ? Set.of() : Set.copyOf(approve);
    onUnknown = onUnknown.isEmpty() ? Set.of() : Set.copyOf(onUnknown);
  }

  /** A ladder without approvals, and without rungs for unknown faults. */
  public Ladder(List<Rung> rungs) {
    this(rungs, Set.of());
  }

  /** A ladder without rungs for unknown faults. */
  public Ladder(List<Rung> rungs, Set<Rung> approve) {
    this(rungs, approve, Set.of());
  }

  /** This one without some of its rungs. */
  public Ladder without(Predicate<Rung> left) {
    return new Ladder(
        rungs.stream().filter(left.negate()).toList(),
        without(approve, left),
        without(onUnknown, left));
  }

  private static Set<Rung> without(Set<Rung> rungs, Predicate<Rung> left) {
    return rungs.stream().filter(left.negate()).collect(Collectors.toSet());
  }

  public boolean isEmpty() {
    return rungs.isEmpty();
  }

  /**
   * What holds where several teams have a say: what all of them want, in the order of the shortest.
   * What one of them wants approved is. What is not recognised is repaired as all of them say.
   */
  public static Ladder common(Collection<Ladder> wanted) {
    return wanted.stream().reduce(Ladder::common).orElse(NONE);
  }

  private static Ladder common(Ladder one, Ladder other) {
    Ladder shorter = one.rungs.size() <= other.rungs.size() ? one : other;
    Ladder longer = shorter == one ? other : one;
    Set<Rung> approve =
        Stream.concat(one.approve.stream(), other.approve.stream()).collect(Collectors.toSet());
    return new Ladder(
            shorter.rungs, approve, without(one.onUnknown, rung -> !other.onUnknown.contains(rung)))
        .without(rung -> !longer.rungs.contains(rung) || !shorter.rungs.contains(rung));
  }
}
