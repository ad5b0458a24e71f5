package dev.drydock.orchestrator.preflight;

import dev.drydock.api.JobOutcome;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.report.HostFacts;
import dev.drydock.proto.Json;
import java.util.Map;

/**
 * What a preflight found.
 *
 * @param passed whether the host could be updated now
 * @param mend what can mend it if not; waiting, where its consumer did not say
 * @param cause a word that hosts which fail alike have in common; may be empty
 * @param message why it did not pass, as people read it
 * @param facts for later jobs of the host, as JSON
 */
record PreflightResult(boolean passed, Mend mend, String cause, String message, String facts) {
  private static final String NOT_TOUCHED = "not touched: ";

  /** What can mend a host that did not pass; the names are those of the wire. */
  enum Mend {
    TIME("Time"),
    PEOPLE("People");

    private final String word;

    Mend(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  static PreflightResult of(JobReport jobReport) {
    Map<String, Object> said = Json.readTree(jobReport.json());
    boolean people =
        jobReport.outcome() == JobOutcome.Failed && Mend.PEOPLE.word().equals(said.get("mend"));
    return new PreflightResult(
        jobReport.outcome() == JobOutcome.Done,
        people ? Mend.PEOPLE : Mend.TIME,
        String.valueOf(said.getOrDefault("cause", "")),
        notTouched(jobReport.message()),
        Json.writeTree(HostFacts.small(jobReport.facts())));
  }

  /** Nobody told how it ended in the time it had. */
  static PreflightResult late(String message) {
    return new PreflightResult(false, Mend.TIME, "late", notTouched(message), "{}");
  }

  private static String notTouched(String message) {
    return message.startsWith(NOT_TOUCHED) ? message : NOT_TOUCHED + message;
  }

  /** Particulars of its event. */
  Map<String, Object> told(String job, int attempt) {
    return passed
        ? Map.of("job", job, "attempt", attempt)
        : Map.of(
            "job", job, "attempt", attempt, "mend", mend.word(), "cause", cause, "reason", message);
  }
}
