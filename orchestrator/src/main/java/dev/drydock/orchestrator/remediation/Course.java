package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Decides what is done next to a host in remediation, from what was done and found so far. Pure.
 *
 * <ol>
 *   <li>Before each rung the host is diagnosed: what is not known of it allows nothing (protocol
 *       P9), and the host is left as it is.
 *   <li>RetryStep needs a host that answers: the step is done in a new round, by an executor that
 *       attaches to what still runs there.
 *   <li>PowerCycle needs a host on which nothing of ours runs, as far as it answers. It is then
 *       verified, and the step is done in a new round; before a Recover the host is judged again
 *       (I5).
 *   <li>The step that failed ended well: the phase is resumed. No rung is left that may be tried:
 *       the host is quarantined.
 * </ol>
 *
 * <p>Property: each rung is tried at most once, so that it ends after three jobs for each rung and
 * a last diagnosis, or five where a Recover failed.
 */
final class Course {
  static final String REACHABLE = "diagnosis.reachable";
  static final String RUNNING = "diagnosis.running";

  private Course() {}

  /**
   * A step whose job has ended.
   *
   * @param rung its place on the ladder, of the one that was climbed
   * @param lost whether nobody knows what became of it
   */
  record Taken(
      Action action,
      OptionalInt rung,
      JobState state,
      boolean lost,
      Map<String, String> facts,
      String message) {

    boolean done() {
      return state == JobState.Done;
    }

    String says() {
      return action.word() + ": " + (message.isEmpty() ? state.name() : message);
    }
  }

  /** What is done next. */
  sealed interface Next {

    /** This step, and which rung it is. */
    record Do(Action action, OptionalInt rung) implements Next {}

    /** The step that failed has ended well. */
    record Resumed() implements Next {}

    /** Nothing is left to be tried. */
    record Exhausted(String why) implements Next {}
  }

  static Next next(JobStep failed, Ladder ladder, List<Taken> taken) {
    if (taken.isEmpty()) {
      return act(Action.DIAGNOSE);
    }
    Taken last = taken.getLast();
    return switch (last.action()) {
      case DIAGNOSE -> climb(ladder, taken, last);
      case RETRY_STEP, RESUME -> last.done() ? new Next.Resumed() : again(ladder, taken, last);
      // Whether it was switched off and on is seen on the host.
      case POWER_CYCLE ->
          last.done() || last.lost() ? act(Action.VERIFY) : again(ladder, taken, last);
      case VERIFY ->
          last.done()
              ? act(failed == JobStep.Recover ? Action.HEALTH : Action.RESUME)
              : again(ladder, taken, last);
      case HEALTH -> last.done() ? act(Action.RESUME) : again(ladder, taken, last);
    };
  }

  private static Next again(Ladder ladder, List<Taken> taken, Taken last) {
    return climbed(taken) < ladder.rungs().size()
        ? act(Action.DIAGNOSE)
        : new Next.Exhausted(last.says());
  }

  private static Next climb(Ladder ladder, List<Taken> taken, Taken diagnosis) {
    for (int rung = climbed(taken); rung < ladder.rungs().size(); rung++) {
      switch (ladder.rungs().get(rung)) {
        case RETRY_STEP -> {
          if (answers(diagnosis)) {
            return new Next.Do(Action.RETRY_STEP, OptionalInt.of(rung));
          }
        }
        case POWER_CYCLE -> {
          if (quiet(diagnosis)) {
            return new Next.Do(Action.POWER_CYCLE, OptionalInt.of(rung));
          }
        }
      }
    }
    return new Next.Exhausted(diagnosis.says());
  }

  private static boolean answers(Taken diagnosis) {
    return diagnosis.done() && "true".equals(diagnosis.facts().get(REACHABLE));
  }

  private static boolean quiet(Taken diagnosis) {
    return diagnosis.done()
        && diagnosis.facts().containsKey(REACHABLE)
        && diagnosis.facts().getOrDefault(RUNNING, "").isEmpty();
  }

  private static Next act(Action action) {
    return new Next.Do(action, OptionalInt.empty());
  }

  /** The first rung that was not reached yet; those below it were tried or could not be. */
  private static int climbed(List<Taken> taken) {
    return taken.stream()
        .filter(step -> step.rung().isPresent())
        .mapToInt(step -> step.rung().getAsInt() + 1)
        .max()
        .orElse(0);
  }
}
