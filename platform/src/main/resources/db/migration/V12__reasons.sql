-- Why rollouts waited for hosts, for those who ask later: the reason on a host's upgrade is only the latest. Written by the
-- trigger alone. Numbers in a reason change with every decision: another row only when its words do, or after five minutes.
CREATE TABLE waiting_reasons (
    host    text        NOT NULL,
    rollout text        NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason  text        NOT NULL
);
CREATE INDEX waiting_reasons_by_host ON waiting_reasons (host, at);
CREATE INDEX waiting_reasons_by_time ON waiting_reasons (at);
CREATE INDEX grants_hosts ON grants USING gin (hosts);

CREATE FUNCTION words_of(reason text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(reason, '[0-9]+', '0', 'g')
$$;

-- Rows are kept for 30 days.
CREATE FUNCTION note_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT at, reason FROM waiting_reasons
                     WHERE host = NEW.host AND rollout = NEW.rollout ORDER BY at DESC LIMIT 1) newest
        WHERE words_of(reason) = words_of(NEW.reason) AND at > clock_timestamp() - interval '5 minutes')
    THEN
        RETURN NULL;
    END IF;
    DELETE FROM waiting_reasons WHERE ctid IN (
        SELECT ctid FROM waiting_reasons WHERE at < clock_timestamp() - interval '30 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
    INSERT INTO waiting_reasons (host, rollout, reason) VALUES (NEW.host, NEW.rollout, NEW.reason);
    RETURN NULL;
END $$;
CREATE TRIGGER note_reason AFTER UPDATE OF reason ON host_upgrades FOR EACH ROW
    WHEN (NEW.state = 'Pending' AND NEW.grant_id IS NULL AND NEW.reason <> '' AND NEW.reason <> OLD.reason)
    EXECUTE FUNCTION note_reason();
