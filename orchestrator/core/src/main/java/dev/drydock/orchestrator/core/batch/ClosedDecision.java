package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.BlockedBatch;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Grant;
import java.util.Optional;

/**
 * Whether people can still answer what they were asked.
 *
 * <ol>
 *   <li>Nobody can once it was decided, or its time is over.
 *   <li>Nobody can once its batch ended, was aborted, or turned back after it was asked.
 *   <li>Nobody can approve a repair once the remediation of the host has ended.
 * </ol>
 */
public final class ClosedDecision {
  private ClosedDecision() {}

  /**
   * Why nobody can answer any more; empty while people can.
   *
   * @param became what became of the batch, as people read it
   */
  public static Optional<String> why(BatchSnapshot batch, Decision asked, String became) {
    if (asked.answer().isPresent()) {
      return asked.answer().map(answer -> "was decided already: " + answer.says());
    }
    if (over(batch, asked)) {
      return Optional.of("is over: its batch went back or ended (" + became + ")");
    }
    return asked
        .patience()
        .filter(patience -> !patience.expiresAt().isAfter(batch.now()))
        .map(patience -> "expired at " + patience.expiresAt());
  }

  private static boolean over(BatchSnapshot batch, Decision asked) {
    Grant grant = batch.grant();
    boolean wentBack = asked.subject() instanceof BlockedBatch(boolean goingBack) && goingBack;
    return !grant.alive()
        || grant.aborted()
        || grant.turnedBack().isPresent() != wentBack
        || (asked.is(Kind.REPAIR_APPROVAL) && !repaired(batch, asked));
  }

  private static boolean repaired(BatchSnapshot batch, Decision asked) {
    return batch.remediations().stream()
        .anyMatch(
            one ->
                one.open()
                    && asked.hosts().contains(one.host())
                    && asked.step().equals(one.step().word()));
  }
}
