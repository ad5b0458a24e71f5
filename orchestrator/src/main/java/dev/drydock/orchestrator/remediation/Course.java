package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Decides what is done next to a host in remediation, from what was done and found so far. Pure.
 *
 * <ol>
 *   <li>What was begun is waited for.
 *   <li>Right before each rung the host is diagnosed, and asked for again where nobody took that
 *       on; a rung the diagnosis does not allow, or people refused, is left out, and where it is
 *       known what helps, every other. Where only people can help, none is tried.
 *   <li>The actions of the rung follow each other while they end well. The last of them is the step
 *       that failed, in a new round: once that ended well the phase is resumed. A host that was
 *       judged since it was changed is not judged again.
 *   <li>One that ends otherwise ends its rung, and the next one is climbed.
 *   <li>No rung is left that may be tried: the host is quarantined.
 * </ol>
 *
 * <p>Property: each rung is tried at most once, so that it ends after the actions of all rungs, a
 * diagnosis before each, and a last one.
 */
final class Course {
  /** How often nobody may be there to diagnose a host before it is left. */
  private static final int UNCLAIMED_MAX = 3;

  private Course() {}

  /**
   * A step that was begun; only the last may not have ended.
   *
   * @param rung its place on the ladder, of the first action of one
   * @param lost whether nobody knows what became of it
   * @param old whether it ended so long ago that what it found may not hold any more
   */
  record Taken(
      Action action,
      OptionalInt rung,
      JobState state,
      boolean lost,
      boolean old,
      Map<String, String> facts,
      String message) {

    boolean ended() {
      return state != JobState.Pending && state != JobState.Claimed;
    }

    boolean done() {
      return state == JobState.Done;
    }

    /** Its time was over before anybody took it: nothing became known by it. */
    boolean unclaimed() {
      return state == JobState.Expired && !lost;
    }

    String says() {
      return action.word() + ": " + (message.isEmpty() ? state.name() : message);
    }
  }

  /** What may be next. */
  sealed interface Next {

    /** This step, and which rung begins with it. */
    record Do(Action action, OptionalInt rung) implements Next {}

    /** Nothing, until the last step has ended. */
    record Waiting() implements Next {}

    /** The step that failed has ended well. */
    record Resumed() implements Next {}

    /** Nothing is left to be tried. */
    record Exhausted(String why) implements Next {}
  }

  /**
   * What a remediation is about.
   *
   * @param refused rungs that people do not want tried
   * @param judged whether the host passed its health check since it was last changed
   */
  record About(JobStep failed, Ladder ladder, Set<Rung> refused, boolean judged) {
    About {
      refused = Set.copyOf(refused);
    }

    /** Of the actions of a rung, the first from a place on that is not needless. */
    private Optional<Action> action(int rung, int from) {
      return Climb.actions(ladder.rungs().get(rung), failed).stream()
          .skip(from)
          .filter(action -> action != Action.HEALTH || !judged)
          .findFirst();
    }
  }

  /** What is done next. */
  static Next next(About about, List<Taken> taken) {
    if (taken.isEmpty()) {
      return act(Action.DIAGNOSE);
    }
    Taken last = taken.getLast();
    if (!last.ended()) {
      return new Next.Waiting();
    }
    if (last.action() == Action.DIAGNOSE) {
      return climb(about, taken);
    }
    if (!last.done() && !(last.lost() && last.action().seenByTheNext())) {
      return above(taken) < about.ladder().rungs().size()
          ? act(Action.DIAGNOSE)
          : new Next.Exhausted(last.says());
    }
    int climbed = above(taken) - 1;
    Rung rung = about.ladder().rungs().get(climbed);
    int next = Climb.actions(rung, about.failed()).indexOf(last.action()) + 1;
    return about.action(climbed, next).map(Course::act).orElseGet(Next.Resumed::new);
  }

  private static Next climb(About about, List<Taken> taken) {
    Taken last = taken.getLast();
    if ((last.done() && last.old()) || (last.unclaimed() && unclaimed(taken) < UNCLAIMED_MAX)) {
      return act(Action.DIAGNOSE);
    }
    Diagnosis diagnosis = Diagnosis.of(last);
    if (diagnosis.hopeless()) {
      return new Next.Exhausted(last.says());
    }
    List<Rung> rungs = about.ladder().rungs();
    for (int rung = above(taken); rung < rungs.size(); rung++) {
      Rung wanted = rungs.get(rung);
      if (!about.refused().contains(wanted) && Climb.allowed(wanted, about.failed(), diagnosis)) {
        return new Next.Do(about.action(rung, 0).orElseThrow(), OptionalInt.of(rung));
      }
    }
    return new Next.Exhausted(last.says());
  }

  /** How many diagnoses nobody took since the last step that somebody did. */
  private static long unclaimed(List<Taken> taken) {
    return taken.reversed().stream()
        .takeWhile(step -> step.action() == Action.DIAGNOSE && step.unclaimed())
        .count();
  }

  private static Next act(Action action) {
    return new Next.Do(action, OptionalInt.empty());
  }

  /** The first rung that was not reached yet; those below it were tried or could not be. */
  private static int above(List<Taken> taken) {
    return taken.stream()
        .filter(step -> step.rung().isPresent())
        .mapToInt(step -> step.rung().getAsInt() + 1)
        .max()
        .orElse(0);
  }
}
