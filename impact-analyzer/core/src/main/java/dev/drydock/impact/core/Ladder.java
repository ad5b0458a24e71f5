package dev.drydock.impact.core;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is tried, one after the other, on a host on which a step failed after its update began,
 * before it is quarantined.
 */
public record Ladder(List<Rung> rungs) {
  /** Of a team that says nothing: the host is quarantined at once. */
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
  }

  public boolean isEmpty() {
    return rungs.isEmpty();
  }

  /**
   * What holds where several teams have a say: what all of them want, in the order of the shortest.
   */
  public static Ladder common(Collection<Ladder> wanted) {
    return wanted.stream().reduce(Ladder::common).orElse(NONE);
  }

  private static Ladder common(Ladder one, Ladder other) {
    Ladder shorter = one.rungs.size() <= other.rungs.size() ? one : other;
    Ladder longer = shorter == one ? other : one;
    return new Ladder(shorter.rungs.stream().filter(longer.rungs::contains).toList());
  }
}
