-- What the auditor asks of all rollouts that ever locked a host: it reads these events alone, not all of those rollouts.
CREATE INDEX events_of_rollouts ON events (rollout)
    WHERE host IS NULL AND kind IN ('RolloutChanged', 'RolloutEnded', 'CohortHalted', 'CohortsReleased');
CREATE INDEX events_cancelled ON events (host)
    WHERE kind = 'HostUpgradeChanged' AND data->>'state' = 'Cancelled';
