-- The event feed (protocol P12). An event gets its number after its commit, from one transaction at a time and in the
-- order of ids, without gaps: the number is a cursor, and no commit that comes late can hide behind it.
ALTER TABLE events
    DROP COLUMN xid,
    ADD COLUMN number bigint;
CREATE UNIQUE INDEX events_by_number ON events (number);
CREATE INDEX events_unnumbered ON events (id) WHERE number IS NULL;
CREATE INDEX events_by_rollout ON events (rollout, number);
CREATE INDEX events_by_host ON events (host, number);

-- Wakes who gives the numbers when, and only when, the transaction commits.
CREATE FUNCTION wake_event_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('events', '');
    RETURN NULL;
END $$;
CREATE TRIGGER wake_event_feed AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake_event_feed();

-- State and step of a host upgrade and the state of a rollout are written in many places, and by people repairing by
-- hand; here nobody can forget the event. A new reason alone is none: a waiting host gets one with every decision.
CREATE FUNCTION tell_host_upgrade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (kind, rollout, host, data)
    VALUES ('HostUpgradeChanged', NEW.rollout, NEW.host, jsonb_strip_nulls(jsonb_build_object(
        'state', NEW.state, 'step', NEW.step, 'reason', NEW.reason, 'grant', NEW.grant_id)));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_host_upgrade AFTER UPDATE ON host_upgrades FOR EACH ROW
    WHEN ((OLD.state, OLD.step) IS DISTINCT FROM (NEW.state, NEW.step)) EXECUTE FUNCTION tell_host_upgrade();

CREATE FUNCTION tell_rollout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (kind, rollout, data)
    VALUES (CASE WHEN NEW.ended_at IS NULL THEN 'RolloutChanged' ELSE 'RolloutEnded' END,
            NEW.id, jsonb_build_object('state', NEW.state));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_rollout AFTER UPDATE ON rollouts FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tell_rollout();
