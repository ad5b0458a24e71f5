package dev.drydock.auditor;

import dev.drydock.api.EventKind;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.FindingDetail;
import dev.drydock.auditor.core.Invariant;
import dev.drydock.platform.events.NewEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Violations in PostgreSQL. Each has one event, written with its row, and those that pause a
 * rollout are told until whoever pauses it took it. Safe for use by many threads and processes.
 */
final class Violations {
  private static final int TOLD_AT_ONCE = 100;
  private static final List<String> PAUSING =
      Stream.of(Invariant.values()).filter(Invariant::pauses).map(Invariant::name).toList();

  private final Jdbi jdbi;

  Violations(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Keeps those that are new; answers them. In the caller's transaction. */
  static List<RolloutViolation> keep(Handle handle, String rollout, List<Finding> findings) {
    List<RolloutViolation> fresh = new ArrayList<>();
    for (Finding finding : findings) {
      for (FindingDetail findingDetail : finding.violations()) {
        RolloutViolation violation =
            new RolloutViolation(
                rollout, finding.invariant(), findingDetail.object(), findingDetail.says());
        if (insert(handle, violation)) {
          NewEvent.ofRollout(
                  EventKind.AuditViolation,
                  rollout,
                  Map.of(
                      "invariant", finding.invariant().name(),
                      "object", findingDetail.object(),
                      "says", findingDetail.says(),
                      "evidence", findingDetail.evidence()))
              .append(handle);
          fresh.add(violation);
        }
      }
    }
    return fresh;
  }

  private static boolean insert(Handle handle, RolloutViolation violation) {
    return handle
            .createUpdate(
                """
                INSERT INTO audit_violations (rollout, invariant, object, says)
                VALUES (:rollout, :invariant, :object, :says) ON CONFLICT DO NOTHING
                """)
            .bind("rollout", violation.rollout())
            .bind("invariant", violation.invariant().name())
            .bind("object", violation.object())
            .bind("says", violation.says())
            .execute()
        == 1;
  }

  /** Those that pause their rollout and that nobody took yet, oldest first. */
  List<RolloutViolation> untold() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT rollout, invariant, object, says FROM audit_violations
                    WHERE told_at IS NULL AND invariant = ANY(:pausing) ORDER BY found_at LIMIT :limit
                    """)
                .bindArray("pausing", String.class, PAUSING)
                .bind("limit", TOLD_AT_ONCE)
                .map(
                    (row, _) ->
                        new RolloutViolation(
                            row.getString("rollout"),
                            Invariant.valueOf(row.getString("invariant")),
                            row.getString("object"),
                            row.getString("says")))
                .list());
  }

  /** Whoever pauses took it. */
  void told(RolloutViolation violation) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE audit_violations SET told_at = clock_timestamp()
                    WHERE rollout = :rollout AND invariant = :invariant AND object = :object
                      AND says = :says
                    """)
                .bind("rollout", violation.rollout())
                .bind("invariant", violation.invariant().name())
                .bind("object", violation.object())
                .bind("says", violation.says())
                .execute());
  }
}
