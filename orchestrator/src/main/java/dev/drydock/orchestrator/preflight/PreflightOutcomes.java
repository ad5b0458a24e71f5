package dev.drydock.orchestrator.preflight;

import dev.drydock.orchestrator.store.PendingBatches;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * What becomes of a host by its preflight, in the caller's transaction. One that passed may be
 * granted for a while; one that waiting can mend stays Pending with its place and age, and is asked
 * again; one that only people can mend ends Reverted, and was not touched. Safe for use by many
 * threads.
 */
public final class PreflightOutcomes {
  private static final int AGAIN_SECONDS = 15;
  private static final int AGAIN_SECONDS_MAX = 300;
  private static final int DOUBLED_MAX = 5;

  private static final String OF_HOST =
      "WHERE u.rollout = :rollout AND u.host = :host AND " + PendingBatches.FREE;

  private final ServerConfig.Preflight terms;
  private final RepeatedRefusals alike;

  public PreflightOutcomes(ServerConfig.Preflight terms) {
    this.terms = terms;
    this.alike = new RepeatedRefusals(terms.alike());
  }

  void ended(Handle handle, String rollout, String host, PreflightResult result) {
    if (result.passed()) {
      passed(handle, rollout, host, result);
    } else {
      switch (result.mend()) {
        case TIME -> waits(handle, rollout, host, result);
        case PEOPLE -> refused(handle, rollout, host, result);
      }
    }
  }

  /** It is asked again before its pass is too old, and may be granted meanwhile. */
  private void passed(Handle handle, String rollout, String host, PreflightResult result) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades u
        SET reason = CASE WHEN ready_until > clock_timestamp() THEN reason ELSE '' END,
            ready_until = clock_timestamp() + make_interval(secs => :valid),
            ask_at = clock_timestamp() + make_interval(secs => :again),
            asked_in_vain = 0, facts = facts || CAST(:facts AS jsonb)
        """
            + OF_HOST,
        Map.of(
            "rollout",
            rollout,
            "host",
            host,
            "valid",
            terms.valid().toSeconds(),
            "again",
            terms.valid().toSeconds() * 3 / 4,
            "facts",
            result.facts()));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  private void waits(Handle handle, String rollout, String host, PreflightResult result) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades u
        SET reason = :reason, ready_until = NULL, asked_in_vain = asked_in_vain + 1,
            ask_at = clock_timestamp() + make_interval(
              secs => LEAST(:first * (1 << LEAST(asked_in_vain, :doubled)), :most))
        """
            + OF_HOST,
        Map.of(
            "rollout", rollout,
            "host", host,
            "reason", result.message(),
            "first", AGAIN_SECONDS,
            "doubled", DOUBLED_MAX,
            "most", AGAIN_SECONDS_MAX));
  }

  private void refused(Handle handle, String rollout, String host, PreflightResult result) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades u
        SET state = 'Reverted', reason = :reason, ready_until = NULL, ended_at = clock_timestamp()
        """
            + OF_HOST,
        Map.of("rollout", rollout, "host", host, "reason", result.message()));
    alike.look(handle, rollout, result);
    Wakeups.add(handle, WorkflowIds.rollout(rollout), host);
  }
}
