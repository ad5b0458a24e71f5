-- How often a host was held in its rollout: its back-off doubles each time. Counted here, as there is no end of grants to count.
ALTER TABLE host_upgrades ADD COLUMN held_times int NOT NULL DEFAULT 0;
UPDATE host_upgrades u SET held_times = held.times
FROM (SELECT rollout, host, count(*) AS times FROM grants CROSS JOIN unnest(hosts) AS host
      WHERE end_state = 'Held' GROUP BY rollout, host) held
WHERE u.rollout = held.rollout AND u.host = held.host;
