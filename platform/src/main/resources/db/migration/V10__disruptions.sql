-- When each instance was last taken down, by a batch or by whoever else held its host: rules over time are judged by it.
-- Written by the triggers below alone, so that nobody who takes hosts can forget it.
CREATE TABLE disruptions (
    instance    text        PRIMARY KEY,
    application text        NOT NULL,
    -- Where it ran then.
    host        text        NOT NULL,
    at          timestamptz NOT NULL,
    -- Grant or ticket that took the host.
    lock_id     text        NOT NULL
);
CREATE INDEX disruptions_by_application ON disruptions (application, at);
CREATE INDEX disruptions_by_time ON disruptions (at);

-- Instances that vanished just before may have been moved away for this. Nobody asks for more than a week back; what is
-- kept longer tells for how long a quarantined host is down. Ordered
-- and skipping what is locked, because batches open while the history is written.
CREATE FUNCTION note_disruptions(taken text[], lock text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM disruptions WHERE instance IN (
        SELECT instance FROM disruptions WHERE at < clock_timestamp() - interval '90 days'
        ORDER BY at LIMIT 1000 FOR UPDATE SKIP LOCKED);
    INSERT INTO disruptions (instance, application, host, at, lock_id)
    SELECT id, application, host, clock_timestamp(), lock FROM instances
    WHERE host = ANY (taken)
      AND (vanished_at IS NULL OR vanished_at > clock_timestamp() - interval '10 minutes')
    ORDER BY id
    ON CONFLICT (instance) DO UPDATE
    SET application = excluded.application, host = excluded.host, at = excluded.at, lock_id = excluded.lock_id;
END $$;

-- A batch takes instances down once its open check was passed; one turned back before has taken none.
CREATE FUNCTION batch_disrupts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_disruptions(NEW.hosts, NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER batch_disrupts AFTER UPDATE OF opened_at ON grants FOR EACH ROW
    WHEN (NEW.opened_at IS DISTINCT FROM OLD.opened_at AND NEW.opened_at IS NOT NULL) EXECUTE FUNCTION batch_disrupts();

-- Other locks may take down what they hold from the moment they are granted.
CREATE FUNCTION lock_disrupts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_disruptions(NEW.hosts, NEW.lock_id);
    RETURN NULL;
END $$;
CREATE TRIGGER lock_disrupts AFTER INSERT ON lock_history FOR EACH ROW
    WHEN (NEW.what = 'Granted' AND NEW.kind <> 'Batch') EXECUTE FUNCTION lock_disrupts();

-- What happened before this table existed, as far as instances still run where they ran.
INSERT INTO disruptions (instance, application, host, at, lock_id)
SELECT DISTINCT ON (i.id) i.id, i.application, i.host, d.at, d.lock_id
FROM (SELECT unnest(hosts) AS host, opened_at AS at, id AS lock_id FROM grants WHERE opened_at IS NOT NULL
      UNION ALL
      SELECT unnest(hosts), at, lock_id FROM lock_history WHERE what = 'Granted' AND kind <> 'Batch') d
JOIN instances i ON i.host = d.host AND i.vanished_at IS NULL
ORDER BY i.id, d.at DESC;
