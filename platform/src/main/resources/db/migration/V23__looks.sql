-- The grantor looks at the first batches of each running rollout and at those that follow its last look, never at all that
-- wait: batches that may be free, by number, and apart from them the few that were granted before and have an age.
CREATE INDEX host_upgrades_free ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NULL;
CREATE INDEX host_upgrades_aged ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NOT NULL;
CREATE INDEX host_upgrades_in_flight ON host_upgrades (rollout) WHERE state = 'InProgress';
-- It said no more than that a host is pending, which all of a new rollout are.
DROP INDEX host_upgrades_pending;

-- What is looked for in every round must not cost more with every rollout and grant that ever ended.
CREATE INDEX rollouts_running ON rollouts (number) WHERE state = 'Running';
CREATE INDEX grants_ended_with_hold ON grants (created_at) WHERE state = 'ended' AND hold_ended_at IS NULL;
CREATE INDEX wakeups_delivered ON wakeups (delivered_at) WHERE delivered_at IS NOT NULL;
