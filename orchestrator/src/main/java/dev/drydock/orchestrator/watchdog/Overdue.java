package dev.drydock.orchestrator.watchdog;

import dev.drydock.orchestrator.watchdog.PhaseAtWork.Cohort;
import dev.drydock.orchestrator.watchdog.PhaseAtWork.Work;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Judges whether a phase takes too long, and who is waited for. Pure.
 *
 * <ol>
 *   <li>Nothing of the batch is on the board, and nobody asks or is asked: whoever leads it is
 *       gone.
 *   <li>Nobody claims what is offered, and nobody claimed anything of its topic: there is no
 *       consumer, however long the phase may take.
 *   <li>It is past the time a policy states.
 *   <li>It is far past what is usual in its cohorts; of several the slowest counts, as a host takes
 *       as long as the slowest of what runs on it. One that is not known yet says nothing.
 * </ol>
 *
 * @param because what it is measured by, as people read it
 */
record Overdue(Cause cause, String because) {
  /** How long something on the board may wait without any consumer. */
  static final Duration UNCLAIMED_MAX = Duration.ofMinutes(2);

  /** How long a batch may have nothing to do; its workflow looks more often. */
  static final Duration NOT_LED_MAX = Duration.ofMinutes(2);

  /** Who is waited for. */
  enum Cause {
    /** Nobody has claimed its job. */
    UNCLAIMED("Unclaimed"),
    /** Whoever claimed it is not heard of. */
    SILENT("Silent"),
    /** Whoever claimed it works on it. */
    WORKING("Working"),
    /** Nothing was published after the last step. */
    NOT_LED("NotLed");

    private final String word;

    Cause(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * What there is to judge by.
   *
   * @param policy the time a policy states
   * @param usual of cohorts that are known
   * @param silentTopics of which nobody claimed anything of late
   * @param lease how long a claim lasts without being renewed
   */
  record Known(
      Optional<Duration> policy,
      Map<Cohort, UsualTime> usual,
      Set<String> silentTopics,
      Duration lease) {}

  static Optional<Overdue> judge(PhaseAtWork phase, Known known) {
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

  private static Optional<String> stated(PhaseAtWork phase, Known known) {
    return known
        .policy()
        .filter(limit -> past(phase, limit))
        .map(limit -> "a policy allows " + OverdueText.span(limit));
  }

  private static Optional<String> unusual(PhaseAtWork phase, Known known) {
    return phase.cohorts().stream()
        .map(known.usual()::get)
        .filter(Objects::nonNull)
        .max(Comparator.comparing(UsualTime::p95))
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

  private static boolean past(PhaseAtWork phase, Duration limit) {
    return phase.took().compareTo(limit) > 0;
  }
}
