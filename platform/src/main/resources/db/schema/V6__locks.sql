-- Locks, as etcd had them, and what they took down.

-- What happened to tickets and locks, as etcd's log told it. Written by the history tailer alone.
CREATE TABLE lock_history (
    -- Counts restores of etcd, whose revisions begin anew with each.
    epoch      bigint NOT NULL,
    revision   bigint NOT NULL,
    -- Place among what happened in one revision.
    ordinal    int NOT NULL,
    -- When it was written down, moments after it happened: etcd's log has no times.
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    what       text NOT NULL,
    -- Ticket id of a ticket or session lock, grant id of a hold; empty for a gap.
    lock_id    text NOT NULL,
    kind       text NOT NULL,
    hosts      text[] NOT NULL,
    holder     text NOT NULL,
    -- Who did it: the holder, the grantor, or whoever ended it.
    by         text NOT NULL,
    reason     text NOT NULL,
    token      bigint NOT NULL,
    rollout    text,
    PRIMARY KEY (epoch, revision, ordinal),
    -- The grantor's clock when a lock was granted; null where it did not say.
    granted_at timestamptz,
    -- Which of two rows of different tables was written first is told by the last event when they were, never by their
    -- times.
    last_event bigint DEFAULT last_event()
);
CREATE INDEX lock_history_hosts ON lock_history USING gin (hosts);
CREATE INDEX lock_history_lock ON lock_history (lock_id);

-- Looked for in every round, and hardly ever there.
CREATE INDEX lock_history_gaps ON lock_history (at) WHERE what = 'Gap';

-- A recovery looks for the hosts that people have, in a history that is never shortened: few of all locks are theirs.
CREATE INDEX lock_history_of_people ON lock_history (lock_id)
    WHERE what = 'Quarantined' OR what = 'Granted' AND kind IN ('FleetLock', 'Maintenance');

-- A brake that was lifted is no reason any more: who waited for it is looked at anew, and until then has none.
CREATE INDEX lock_history_unfrozen ON lock_history (at) WHERE what = 'Unfrozen';

-- How far etcd's log is written down. etcd forgets nothing after it, up to a limit.
CREATE TABLE lock_history_bookmark (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    epoch    bigint NOT NULL,
    revision bigint NOT NULL
);

-- What each host ran under when its FleetLock client last asked, and under which ticket: a hold that outlives its maximum is
-- over only once the host was started anew.
CREATE TABLE fleetlock_boots (
    host    text PRIMARY KEY,
    ticket  text NOT NULL,
    -- Null where nobody tells: then health alone is judged.
    boot_id text,
    -- The newest mark when the client asked: later ones belong to observations that began after that.
    mark    bigint NOT NULL DEFAULT -1,
    -- Whether boot_id was what the host ran under just then.
    told    boolean NOT NULL DEFAULT true
);

-- Hosts that etcd should hold and does not: the grantor locks them as soon as nobody else has them.
CREATE TABLE impounds (
    -- Grant id, or the id of the lock that was lost.
    lock_id       text NOT NULL,
    host          text NOT NULL,
    hosts         text[] NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('BATCH', 'QUARANTINE', 'FLEETLOCK')),
    rollout       text,
    holder        text NOT NULL,
    reason        text NOT NULL,
    epoch         bigint NOT NULL,
    beat          bigint NOT NULL,
    asked_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When the lock was known to stand.
    done_at       timestamptz,
    PRIMARY KEY (lock_id, host),
    -- The quarantine that ends for it.
    replaces      text,
    -- What was seen of the host before this mark says nothing of it.
    replaces_mark bigint,
    CHECK ((replaces IS NULL) = (replaces_mark IS NULL))
);
CREATE INDEX impounds_open ON impounds (asked_at) WHERE done_at IS NULL;

-- When each instance was last taken down, by a batch or by whoever else held its host: rules over time are judged by it.
-- Written by triggers alone (note_disruptions), so that nobody who takes hosts can forget it.
CREATE TABLE disruptions (
    instance    text PRIMARY KEY,
    application text NOT NULL,
    -- Where it ran then.
    host        text NOT NULL,
    at          timestamptz NOT NULL,
    -- Grant or ticket that took the host.
    lock_id     text NOT NULL,
    -- What was down already when a lock came keeps the time it was taken down before, or has none: then it is the beginning of
    -- all time. So a row goes by when it was written.
    noted_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX disruptions_by_application ON disruptions (application, at);
CREATE INDEX disruptions_by_time ON disruptions (noted_at);

-- When the history last told that a lock on the host ended or lapsed; reports begun before say nothing of after.
CREATE TABLE unlocked_hosts (
    host text PRIMARY KEY,
    at   timestamptz NOT NULL
);

-- After a gap nobody knows which locks ended.
CREATE FUNCTION note_unlocked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unlocked_hosts (host, at)
    SELECT DISTINCT host, clock_timestamp()
    FROM (SELECT unnest(NEW.hosts) AS host UNION ALL SELECT name FROM hosts WHERE NEW.what = 'Gap') u
    ORDER BY host
    ON CONFLICT (host) DO UPDATE SET at = excluded.at;
    RETURN NULL;
END $$;
CREATE TRIGGER note_unlocked AFTER INSERT ON lock_history FOR EACH ROW
    WHEN (NEW.what IN ('Ended', 'Lapsed', 'Gap')) EXECUTE FUNCTION note_unlocked();

-- Every instance on the hosts gets this lock as its last; those down before keep their time.
CREATE FUNCTION note_disruptions(taken text[], lock text, down text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM disruptions WHERE instance IN (
        SELECT instance FROM disruptions WHERE noted_at < clock_timestamp() - interval '90 days'
        ORDER BY noted_at LIMIT 1000 FOR UPDATE SKIP LOCKED);
    INSERT INTO disruptions AS known (instance, application, host, at, lock_id)
    SELECT id, application, host, CASE WHEN id = ANY (down) THEN to_timestamp(0) ELSE clock_timestamp() END, lock
    FROM instances
    WHERE host = ANY (taken)
      AND (vanished_at IS NULL OR vanished_at > clock_timestamp() - interval '10 minutes')
    ORDER BY id
    ON CONFLICT (instance) DO UPDATE
    SET application = excluded.application, host = excluded.host, at = GREATEST(known.at, excluded.at),
        lock_id = excluded.lock_id, noted_at = excluded.noted_at;
END $$;

-- Other locks may take down what they hold from the moment they are granted, and the history tells of it later: down by
-- itself is what is known to be down since before, by more than clocks of servers differ, and was seen so until then.
CREATE FUNCTION lock_disrupts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_disruptions(NEW.hosts, NEW.lock_id, ARRAY(
        SELECT i.id FROM instances i LEFT JOIN unlocked_hosts u ON u.host = i.host
        WHERE i.host = ANY (NEW.hosts) AND i.health = 'Unhealthy'
          AND i.down_since > COALESCE(u.at, '-infinity')
          AND i.down_since < NEW.granted_at - interval '1 minute'
          AND i.observed_at > NEW.granted_at - interval '2 minutes'));
    RETURN NULL;
END $$;
CREATE TRIGGER lock_disrupts AFTER INSERT ON lock_history FOR EACH ROW
    WHEN (NEW.what = 'Granted' AND NEW.kind <> 'Batch') EXECUTE FUNCTION lock_disrupts();

CREATE FUNCTION forget_brake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE host_upgrades SET reason = ''
    WHERE state = 'Pending' AND grant_id IS NULL AND reason LIKE 'the fleet is frozen by %';
    RETURN NULL;
END $$;
CREATE TRIGGER forget_brake AFTER INSERT ON lock_history FOR EACH ROW
    WHEN (NEW.what = 'Unfrozen') EXECUTE FUNCTION forget_brake();
