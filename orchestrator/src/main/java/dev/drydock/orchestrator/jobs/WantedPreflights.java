package dev.drydock.orchestrator.jobs;

import dev.drydock.orchestrator.store.PendingBatches;

/**
 * Which open preflights still matter: those of hosts that could be granted next. After an abort, a
 * pause or a grant nobody is given the others, nor goes on with them.
 */
public final class WantedPreflights {
  /** A condition on a row {@code p} of preflights. */
  public static final String CONDITION =
      """
      (EXISTS (SELECT FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
               WHERE u.rollout = p.rollout AND u.host = p.host AND r.state = 'Running' AND
      """
          + PendingBatches.FREE
          + """
      ) AND NOT EXISTS (SELECT FROM recoveries WHERE ended_at IS NULL))
      """;

  private WantedPreflights() {}
}
