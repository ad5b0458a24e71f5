-- Batches are looked up by their number when one is proposed, and when they are made anew.
CREATE INDEX host_upgrades_batch ON host_upgrades (rollout, batch);
