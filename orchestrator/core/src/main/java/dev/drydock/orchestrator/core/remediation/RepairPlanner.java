package dev.drydock.orchestrator.core.remediation;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Decides what is done next to a host in remediation, from what was done and found so far.
 *
 * <ol>
 *   <li>An action that was begun is waited for. One that nobody claimed is begun again, without
 *       end: that says nothing of the host.
 *   <li>The host is diagnosed right before each rung. A rung is skipped if the diagnosis does not
 *       allow it or people refused it. Where it is known what helps, every other rung is skipped.
 *       Where only people can help, none is tried. Where nobody recognises what the host has, the
 *       step is done again once, and nothing changes the host unless policies or people say so.
 *   <li>While others work on the host, it is neither switched off nor given another system. They
 *       are waited for, and the host is diagnosed again.
 *   <li>The actions of a rung follow each other while they end well. The last one is the step that
 *       failed, in a new round; once that ended well the phase is resumed. A host that was judged
 *       since it was changed is not judged again.
 *   <li>An action that ends otherwise ends its rung, and the next rung is tried.
 *   <li>No rung is left that may be tried: the host is quarantined. Without any rung that is so
 *       after the first diagnosis that somebody claimed.
 * </ol>
 *
 * <p>Property: each rung is tried at most once, so a remediation ends after the actions of all
 * rungs, a diagnosis before each, and a last one, unless nobody claims them.
 */
public final class RepairPlanner {
  /** How often others may be found at work, a minute apart: about as long as an update may take. */
  static final int OTHERS_MAX = 30;

  private RepairPlanner() {}

  /** What may be next. */
  public sealed interface Next {

    /** This action, and which rung begins with it. */
    record Do(RepairAction action, OptionalInt rung) implements Next {}

    /** Nothing, until the last action has ended. */
    record Waiting() implements Next {}

    /** A rung waits for others who work on the host; the host is diagnosed again. */
    record Later(String why) implements Next {}

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
  public record About(Step failed, Ladder ladder, Set<Rung> refused, boolean judged, Instant now) {
    public About {
      refused = Set.copyOf(refused);
    }

    /** The first action of a rung, from a place on, that is not needless. */
    private Optional<RepairAction> action(int rung, int from) {
      return RungRules.actions(ladder.rungs().get(rung), failed).stream()
          .skip(from)
          .filter(action -> action != RepairAction.HEALTH || !judged)
          .findFirst();
    }
  }

  /** What is done next. */
  public static Next next(About about, List<RepairStep> taken) {
    if (taken.isEmpty()) {
      return act(RepairAction.DIAGNOSE);
    }
    RepairStep last = taken.getLast();
    if (!last.ended()) {
      return new Next.Waiting();
    }
    if (last.unclaimed()) {
      // What was found before a rung may not hold any more once somebody claims it.
      return act(last.rung().isPresent() ? RepairAction.DIAGNOSE : last.action());
    }
    if (last.action() == RepairAction.DIAGNOSE) {
      return climb(about, taken);
    }
    if (!last.done() && !(last.job().lost() && last.action().seenByTheNext())) {
      return above(taken) < about.ladder().rungs().size()
          ? act(RepairAction.DIAGNOSE)
          : new Next.Exhausted(last.says());
    }
    int climbed = above(taken) - 1;
    Rung rung = about.ladder().rungs().get(climbed);
    int next = RungRules.actions(rung, about.failed()).indexOf(last.action()) + 1;
    return about.action(climbed, next).map(RepairPlanner::act).orElseGet(Next.Resumed::new);
  }

  private static Next climb(About about, List<RepairStep> taken) {
    RepairStep last = taken.getLast();
    if (!about.ladder().isEmpty() && last.done() && last.old(about.now())) {
      return act(RepairAction.DIAGNOSE);
    }
    Diagnosis diagnosis = Diagnosis.of(last);
    if (diagnosis.hopeless()) {
      return new Next.Exhausted(last.says());
    }
    List<Rung> rungs = about.ladder().rungs();
    for (int rung = above(taken); rung < rungs.size(); rung++) {
      Rung wanted = rungs.get(rung);
      if (!about.refused().contains(wanted)
          && RungRules.allowed(wanted, about.failed(), about.ladder(), diagnosis)) {
        if (RungRules.disturbs(wanted) && !diagnosis.others().isEmpty()) {
          return others(wanted, taken, diagnosis.others());
        }
        return new Next.Do(about.action(rung, 0).orElseThrow(), OptionalInt.of(rung));
      }
    }
    return new Next.Exhausted(last.says());
  }

  private static Next others(Rung wanted, List<RepairStep> taken, String who) {
    long found =
        taken.reversed().stream()
            .takeWhile(step -> step.action() == RepairAction.DIAGNOSE)
            .filter(RepairStep::done)
            .count();
    String why = "%s still works there".formatted(who);
    return found < OTHERS_MAX
        ? new Next.Later("%s waits, %s".formatted(wanted.word(), why))
        : new Next.Exhausted("%s was not tried, %s".formatted(wanted.word(), why));
  }

  /** When a host is diagnosed again on which others were found at work. */
  public static Optional<Instant> looksAgain(BatchJob diagnosis) {
    return diagnosis.facts().getOrDefault(Diagnosis.OTHERS, "").isEmpty()
        ? Optional.empty()
        : diagnosis.endedAt().map(end -> end.plus(RepairStep.FRESH).plusMillis(1));
  }

  private static Next act(RepairAction action) {
    return new Next.Do(action, OptionalInt.empty());
  }

  /** The first rung that was not reached yet; those below it were tried or could not be. */
  private static int above(List<RepairStep> taken) {
    return taken.stream()
        .filter(step -> step.rung().isPresent() && !step.unclaimed())
        .mapToInt(step -> step.rung().getAsInt() + 1)
        .max()
        .orElse(0);
  }

  /** What the host was found to have by the last diagnosis; empty where nobody found out. */
  public static String signature(List<RepairStep> taken) {
    return taken.reversed().stream()
        .filter(step -> step.action() == RepairAction.DIAGNOSE)
        .findFirst()
        .map(diagnosed -> Diagnosis.of(diagnosed).signature())
        .orElse("");
  }
}
