-- What is down by itself is not taken down by whoever repairs its host: rules over time do not count it.

-- Since when it is known to be down: first written down as unhealthy after the last lock on its host ended, and nothing
-- else was heard of it since. Null when it is not.
ALTER TABLE instances ADD COLUMN down_since timestamptz;

-- When the history last told that a lock on the host ended or lapsed; reports begun before say nothing of after.
CREATE TABLE unlocked_hosts (
    host text        PRIMARY KEY,
    at   timestamptz NOT NULL
);

-- The grantor's clock when a lock was granted; null where it did not say.
ALTER TABLE lock_history ADD COLUMN granted_at timestamptz;

-- What was down already when a lock came keeps the time it was taken down before, or has none: then it is the beginning of
-- all time. So a row goes by when it was written.
ALTER TABLE disruptions ADD COLUMN noted_at timestamptz NOT NULL DEFAULT clock_timestamp();
DROP INDEX disruptions_by_time;
CREATE INDEX disruptions_by_time ON disruptions (noted_at);

CREATE FUNCTION note_down() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unlocked timestamptz := COALESCE((SELECT at FROM unlocked_hosts WHERE host = NEW.host), '-infinity');
BEGIN
    IF NEW.health <> 'Unhealthy' OR NEW.down_since <= unlocked THEN
        NEW.down_since := NULL;
    END IF;
    IF NEW.health = 'Unhealthy' AND NEW.down_since IS NULL AND NEW.observed_at > unlocked THEN
        NEW.down_since := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER note_down BEFORE INSERT OR UPDATE ON instances FOR EACH ROW
    WHEN (NEW.health = 'Unhealthy' OR NEW.down_since IS NOT NULL) EXECUTE FUNCTION note_down();

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

DROP TRIGGER batch_disrupts ON grants;
DROP TRIGGER lock_disrupts ON lock_history;
DROP FUNCTION batch_disrupts();
DROP FUNCTION lock_disrupts();
DROP FUNCTION note_disruptions(text[], text);

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

-- A batch takes instances down once its open check was passed; one turned back before has taken none. Seen between its
-- grant and its opening, nobody has touched them: what was down then was down by itself.
CREATE FUNCTION batch_disrupts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_disruptions(NEW.hosts, NEW.id, ARRAY(
        SELECT id FROM instances
        WHERE host = ANY (NEW.hosts) AND health = 'Unhealthy' AND observed_at > NEW.created_at));
    RETURN NULL;
END $$;
CREATE TRIGGER batch_disrupts AFTER UPDATE OF opened_at ON grants FOR EACH ROW
    WHEN (NEW.opened_at IS DISTINCT FROM OLD.opened_at AND NEW.opened_at IS NOT NULL) EXECUTE FUNCTION batch_disrupts();

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
