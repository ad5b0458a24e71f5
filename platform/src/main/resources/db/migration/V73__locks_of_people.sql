-- A recovery looks for the hosts that people have, in a history that is never shortened: few of all locks are theirs.
CREATE INDEX lock_history_of_people ON lock_history (lock_id)
    WHERE what = 'Quarantined' OR what = 'Granted' AND kind IN ('FleetLock', 'Maintenance');
