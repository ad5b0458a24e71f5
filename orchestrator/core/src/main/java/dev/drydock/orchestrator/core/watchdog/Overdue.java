package dev.drydock.orchestrator.core.watchdog;

import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Cohort;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Work;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A phase takes too long. It does
 *
 * <ol>
 *   <li>if its batch has no job on the board and waits for no answer: nothing leads the batch;
 *   <li>if no consumer claims its job, and none claimed any job of the topic of late: then the
 *       topic has no consumer, however long the phase may take;
 *   <li>if it takes longer than a policy allows;
 *   <li>if it takes far longer than is usual in its cohorts. The slowest cohort counts, as a host
 *       takes as long as its slowest application. A cohort with too few hosts says nothing.
 * </ol>
 *
 * @param cause what the phase waits for
 * @param because which of these holds, as people read it
 */
public record Overdue(Cause cause, String because) {
  /** How long a job may wait on the board if its topic has no consumer. */
  public static final Duration UNCLAIMED_MAX = Duration.ofMinutes(2);

  /** How long a batch may have nothing to do. Its workflow looks more often. */
  public static final Duration NOT_LED_MAX = Duration.ofMinutes(2);

  /** What a phase waits for. */
  public enum Cause implements NamedConstant {
    /** No consumer has claimed its job. */
    UNCLAIMED,
    /** A consumer has its job, and does not renew the claim. */
    SILENT,
    /** A consumer has its job, and renews the claim. */
    WORKING,
    /** No job was published after the last step. */
    NOT_LED
  }

  /**
   * What a phase is judged by.
   *
   * @param policy the time that a policy allows
   * @param usual how long it usually takes, by cohort; without cohorts that have too few hosts
   * @param silentTopics topics that no consumer claimed a job of lately
   * @param lease how long a claim lasts without being renewed
   */
  public record Known(
      Optional<Duration> policy,
      Map<Cohort, TypicalDuration> usual,
      Set<String> silentTopics,
      Duration lease) {

    public Known {
      usual = Map.copyOf(usual);
      silentTopics = Set.copyOf(silentTopics);
    }
  }

  /** Judges a phase. Empty if it does not take too long. */
  public static Optional<Overdue> judge(ActivePhase phase, Known known) {
    if (phase.job().isEmpty()) {
      return past(phase, NOT_LED_MAX)
          ? Optional.of(new Overdue(Cause.NOT_LED, "nothing follows it"))
          : Optional.empty();
    }
    Work work = phase.job().get();
    Cause cause = cause(work, known.lease());
    if (cause == Cause.UNCLAIMED && !work.offered()) {
      return Optional.empty();
    }
    if (cause == Cause.UNCLAIMED
        && past(phase, UNCLAIMED_MAX)
        && known.silentTopics().contains(work.topic())) {
      return Optional.of(new Overdue(cause, "nobody has begun it"));
    }
    return stated(phase, known).or(() -> unusual(phase, known)).map(why -> new Overdue(cause, why));
  }

  private static Cause cause(Work work, Duration lease) {
    if (work.consumer().isEmpty()) {
      return Cause.UNCLAIMED;
    }
    return work.quiet().compareTo(lease) > 0 ? Cause.SILENT : Cause.WORKING;
  }

  private static Optional<String> stated(ActivePhase phase, Known known) {
    return known
        .policy()
        .filter(limit -> past(phase, limit))
        .map(limit -> "a policy allows " + OverdueText.span(limit));
  }

  private static Optional<String> unusual(ActivePhase phase, Known known) {
    return phase.cohorts().stream()
        .map(known.usual()::get)
        .filter(Objects::nonNull)
        .max(Comparator.comparing(TypicalDuration::p95))
        .filter(usual -> past(phase, usual.limit()))
        .map(
            usual ->
                "95 of 100 like it took no longer than %s (%d hosts of class %s to release %s)"
                    .formatted(
                        OverdueText.span(usual.p95()),
                        usual.sample(),
                        phase.hardwareClass(),
                        phase.release()));
  }

  private static boolean past(ActivePhase phase, Duration limit) {
    return phase.took().compareTo(limit) > 0;
  }
}
