-- Each proposal asks what is left of a batch: of a large rollout the index by rollout alone gives all that is open.
DROP INDEX host_upgrades_open;
CREATE INDEX host_upgrades_open ON host_upgrades (rollout, batch) WHERE state IN ('Pending', 'InProgress');
