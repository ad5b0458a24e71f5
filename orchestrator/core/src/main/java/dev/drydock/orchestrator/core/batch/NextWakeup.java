package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.remediation.RepairPlanner;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** When time alone changes what is decided about a batch. */
final class NextWakeup {
  private NextWakeup() {}

  /** The earliest such moment, if there is one. */
  static Optional<Instant> of(BatchSnapshot snapshot) {
    Stream<Instant> verdicts =
        snapshot.checks().stream()
            .filter(Check::requested)
            .map(check -> check.askedAt().plus(Check.VERDICT_MAX));
    // Only a batch that lost its run waits after a Wait.
    Stream<Instant> waits =
        snapshot.checks().stream()
            .filter(
                check ->
                    snapshot.grant().reclaim().isPresent() && check.verdict() == Check.Verdict.WAIT)
            .map(Check::asksAgainAt);
    Stream<Instant> asked =
        snapshot.decisions().stream()
            .filter(Decision::open)
            .flatMap(decision -> decision.patience().stream())
            .flatMap(patience -> Stream.of(patience.remindAt(), patience.expiresAt()));
    Stream<Instant> found =
        snapshot.remediations().stream()
            .filter(Remediation::open)
            .filter(open -> !open.taken().isEmpty())
            .map(open -> open.taken().getLast().job())
            .flatMap(id -> snapshot.jobs().stream().filter(job -> job.id().equals(id)))
            .flatMap(job -> RepairPlanner.looksAgain(job).stream());
    return Stream.of(verdicts, waits, asked, found)
        .flatMap(moments -> moments)
        .filter(moment -> moment.isAfter(snapshot.now()))
        .min(Comparator.naturalOrder());
  }
}
