-- Whom an event concerns: teams with instances on the host, or on hosts of the rollout, when it happened, each with those of
-- its applications. Written in the transaction of the event, by triggers alone, and only for kinds somebody may be told of:
-- later nobody could say where instances ran and which policy covered them (ADR 24).
ALTER TABLE events ADD COLUMN owners jsonb;

-- What its hosts carried when the rollout was submitted.
ALTER TABLE rollouts ADD COLUMN applications text[] NOT NULL DEFAULT '{}';

-- What the host carried when it was granted last: schedulers move instances away before the host goes down.
ALTER TABLE host_upgrades ADD COLUMN applications text[] NOT NULL DEFAULT '{}';

CREATE FUNCTION applications_on(wanted text) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT DISTINCT application FROM instances WHERE host = wanted AND vanished_at IS NULL)
$$;

-- The applications by the team whose policy covers them now; null when none of them has one.
CREATE FUNCTION owners_of(carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_object_agg(team, applications)
    FROM (SELECT p.team, jsonb_agg(a.application ORDER BY a.application) AS applications
          FROM policy_applications a
          CROSS JOIN LATERAL (SELECT team FROM policies WHERE name = a.policy ORDER BY version DESC LIMIT 1) p
          WHERE a.application = ANY (carried)
          GROUP BY p.team) owned
$$;

CREATE FUNCTION note_carried() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.applications := applications_on(NEW.host);
    RETURN NEW;
END $$;
CREATE TRIGGER note_carried BEFORE UPDATE OF grant_id ON host_upgrades FOR EACH ROW
    WHEN (NEW.grant_id IS NOT NULL AND NEW.grant_id IS DISTINCT FROM OLD.grant_id) EXECUTE FUNCTION note_carried();

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
-- The kinds of dev.drydock.orchestrator.subscriptions.Told; its test compares them.
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostHeld',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
CREATE INDEX events_owned ON events (number) WHERE owners IS NOT NULL;
