package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.Ladder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is tried on a host on which a step failed after its update began.
 *
 * @param step the step that failed
 * @param ladder what policies let be tried, as they were when it began
 * @param reason why the step failed
 * @param says how it ended; empty while it is open
 * @param wentBack whether it took the host back to the release before
 * @param taken what was done so far, in order
 */
public record Remediation(
    String host,
    Step step,
    Ladder ladder,
    String reason,
    State state,
    String says,
    boolean wentBack,
    Instant beganAt,
    Optional<Instant> endedAt,
    List<Taken> taken) {

  public Remediation {
    taken = List.copyOf(taken);
  }

  /** A remediation that has tried nothing yet. */
  public static Remediation begun(
      String host, Step step, Ladder ladder, String reason, Instant at) {
    return new Remediation(
        host, step, ladder, reason, State.OPEN, "", false, at, Optional.empty(), List.of());
  }

  /** Where a remediation is. */
  public enum State implements NamedConstant {
    /** Something is tried, or about to be. Its batch waits. */
    OPEN,
    /** The step that failed has ended well. */
    RESUMED,
    /** Nothing is left that may be tried. */
    EXHAUSTED,
    /** Its host was taken out of the batch, or its batch does not go on. */
    LEFT
  }

  /**
   * An action that was begun.
   *
   * @param rung its place on the ladder, if it is the first action of a rung
   * @param job id of its job, which says how it ended
   */
  public record Taken(RepairAction action, OptionalInt rung, String job) {}

  public boolean open() {
    return state == State.OPEN;
  }

  /** The same after another action was begun. */
  public Remediation took(Taken next) {
    List<Taken> more = new ArrayList<>(taken);
    more.add(next);
    return new Remediation(
        host, step, ladder, reason, state, says, wentBack, beganAt, endedAt, more);
  }

  /** The same, ended. */
  public Remediation ended(State how, String why, boolean back, Instant at) {
    return new Remediation(
        host, step, ladder, reason, how, why, back, beganAt, Optional.of(at), taken);
  }
}
