-- What happened. An event gets its number after its commit, from one transaction at a time and in the order of ids, without gaps:
-- the number is a cursor, and no commit that comes late can hide behind it (protocol P12).

CREATE TABLE events (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind    text NOT NULL,
    rollout text,
    host    text,
    data    jsonb NOT NULL DEFAULT '{}',
    number  bigint,
    -- Whom an event concerns: teams with instances on the host, or on hosts of the rollout, when it happened, each with those of
    -- its applications. Written in the transaction of the event, by triggers alone, and only for kinds somebody may be told of:
    -- later nobody could say where instances ran and which policy covered them (ADR 24).
    owners  jsonb
);
CREATE UNIQUE INDEX events_by_number ON events (number);
CREATE INDEX events_unnumbered ON events (id) WHERE number IS NULL;
CREATE INDEX events_by_rollout ON events (rollout, number);
CREATE INDEX events_by_host ON events (host, number);
CREATE INDEX events_owned ON events (number) WHERE owners IS NOT NULL;

-- What the auditor asks of all rollouts that ever locked a host: it reads these events alone, not all of those rollouts.
CREATE INDEX events_of_rollouts ON events (rollout)
    WHERE host IS NULL AND kind IN ('RolloutChanged', 'RolloutEnded', 'CohortHalted', 'CohortsReleased');
CREATE INDEX events_cancelled ON events (host)
    WHERE kind = 'HostUpgradeChanged' AND data->>'state' = 'Cancelled';

-- A database that was restored has given numbers before that its rows know nothing of, and readers have seen them: it goes on
-- behind all of them. No event ever has a number above "before" up to "after".
CREATE TABLE event_leaps (
    after  bigint PRIMARY KEY,
    before bigint NOT NULL CHECK (before < after)
);

-- Wakes who gives the numbers when, and only when, the transaction commits.
CREATE FUNCTION wake_event_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('events', '');
    RETURN NULL;
END $$;
CREATE TRIGGER wake_event_feed AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake_event_feed();

CREATE FUNCTION note_owners() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    carried text[];
BEGIN
    IF NEW.kind = 'RolloutCreated' THEN
        carried := ARRAY(SELECT DISTINCT i.application FROM host_upgrades u JOIN instances i ON i.host = u.host
                         WHERE u.rollout = NEW.rollout AND i.vanished_at IS NULL);
        UPDATE rollouts SET applications = carried WHERE id = NEW.rollout;
    ELSIF NEW.host IS NULL THEN
        carried := ARRAY(SELECT unnest(applications) FROM rollouts WHERE id = NEW.rollout
                         UNION SELECT unnest(applications) FROM host_upgrades WHERE rollout = NEW.rollout);
    ELSIF NEW.rollout IS NOT NULL THEN
        carried := applications_on(NEW.host)
            || (SELECT applications FROM host_upgrades WHERE rollout = NEW.rollout AND host = NEW.host);
    ELSE
        -- Whoever was told that somebody takes the host is told how that ended.
        carried := applications_on(NEW.host) || ARRAY(
            SELECT jsonb_array_elements_text(team.value)
            FROM (SELECT owners FROM events
                  WHERE host = NEW.host AND kind = 'LockGranted' AND data->>'lock' = NEW.data->>'lock'
                  ORDER BY id DESC LIMIT 1) granted
            CROSS JOIN LATERAL jsonb_each(granted.owners) team);
    END IF;
    NEW.owners := owners_of(carried);
    RETURN NEW;
END $$;

-- Teams are told of phases that last too long, as by the trigger note_owners of other kinds.
CREATE TRIGGER note_owners_of_overdue BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('PhaseOverdue', 'PhaseGoesOn')) EXECUTE FUNCTION note_owners();

-- Who was told that a rollout gave a host up is told that its quarantine has ended. Batches tell theirs by their hosts.
CREATE TRIGGER note_owners_of_freed BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind = 'LockEnded' AND NEW.rollout IS NOT NULL AND NEW.host IS NOT NULL) EXECUTE FUNCTION note_owners();

-- How many numbers were given up to this one.
CREATE FUNCTION event_place(number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT event_place.number - COALESCE(sum(l.after - l.before), 0)::bigint FROM event_leaps l WHERE l.after < event_place.number
$$;

-- The last event that was written; see last_mark.
CREATE FUNCTION last_event() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT last_value FROM events_id_seq $$;

-- The kinds of dev.drydock.orchestrator.subscriptions.NotificationWording; SubscriptionsTest compares them.
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostRequeued',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired',
                       'DecisionAsked', 'DecisionAnswered')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
