package dev.drydock.orchestrator.core.watchdog;

import dev.drydock.orchestrator.core.watchdog.ActivePhase.Work;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** Says in one line that a phase is overdue: for events, for the host and for the console. */
public final class OverdueText {
  private OverdueText() {}

  /** The line. */
  public static String of(ActivePhase phase, Overdue overdue, BudgetCost cost) {
    return "%s takes %s, %s; %s; %s"
        .formatted(phase.phase(), span(phase.took()), overdue.because(), who(phase), waits(cost));
  }

  private static String who(ActivePhase phase) {
    if (phase.job().isEmpty()) {
      return "nothing of grant %s is on the job board: do workflows run?".formatted(phase.grant());
    }
    Work work = phase.job().get();
    return work.consumer()
        .map(
            consumer ->
                "job %s is claimed by %s, last heard of %s ago"
                    .formatted(work.id(), consumer, span(work.quiet())))
        .orElseGet(
            () ->
                work.attempt() == 0
                    ? "no consumer of %s has claimed job %s".formatted(work.topic(), work.id())
                    : "no consumer of %s has claimed job %s again after attempt %d fell silent"
                        .formatted(work.topic(), work.id(), work.attempt()));
  }

  private static String waits(BudgetCost cost) {
    int hosts = cost.hosts();
    return hosts == 0
        ? "no other host waits for its budget"
        : "%d %s for budget it holds: %s"
            .formatted(
                hosts,
                hosts == 1 ? "other host waits" : "other hosts wait",
                cost.waiting().entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(entry -> entry.getKey() + " " + entry.getValue())
                    .collect(Collectors.joining(", ")));
  }

  /** A time in seconds up to two minutes, in whole minutes up to two hours. */
  static String span(Duration span) {
    if (span.compareTo(Duration.ofMinutes(2)) < 0) {
      return span.toSeconds() + " s";
    }
    return span.compareTo(Duration.ofHours(2)) < 0
        ? span.toMinutes() + " min"
        : "%d h %d min".formatted(span.toHours(), span.toMinutesPart());
  }
}
