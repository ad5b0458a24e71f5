package dev.drydock.auditor;

import dev.drydock.api.EventKind;
import dev.drydock.platform.events.NewEvent;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * What was not audited while it happened: what the auditor would have said of it is Unknown. Each
 * is told in the feed, once as long as that is kept.
 */
final class AuditGaps {
  private AuditGaps() {}

  /** Whether it was told only now. In the caller's transaction. */
  static boolean tell(Handle handle, Optional<String> rollout, String says) {
    boolean told =
        handle
            .createQuery(
                """
                SELECT EXISTS (SELECT FROM events WHERE kind = 'AuditGap' AND data->>'says' = :says
                               AND rollout IS NOT DISTINCT FROM CAST(:rollout AS text))
                """)
            .bind("says", says)
            .bind("rollout", rollout.orElse(null))
            .mapTo(Boolean.class)
            .one();
    if (!told) {
      new NewEvent(EventKind.AuditGap, rollout, Optional.empty(), Map.of("says", says))
          .append(handle);
    }
    return !told;
  }
}
