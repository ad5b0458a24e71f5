-- What was observed and when, as it was told and with its marks, for who judges later what could be known then: elsewhere
-- only the latest is kept. Rows are added and, when they are old, forgotten; none is ever changed.

-- Each report that was taken in, and each read of a host at the end of a job.
CREATE TABLE observed_reports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source      text        NOT NULL,
    mark        bigint      NOT NULL,
    -- When the mark was fetched; marks themselves are forgotten earlier.
    issued_at   timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The job that read; null for a report.
    job         text,
    -- What it names; null when that is all its source has.
    instances   text[],
    -- The earliest time at which any of it was observed.
    oldest_at   timestamptz NOT NULL
);
CREATE INDEX observed_reports_by_source ON observed_reports (source, received_at);
CREATE INDEX observed_reports_by_time ON observed_reports (received_at);

-- What an instance became. Who is reported as before has no row: the reports that name it confirm the last one.
CREATE TABLE observed_instances (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    instance    text        NOT NULL,
    application text        NOT NULL,
    host        text        NOT NULL,
    zone        text        NOT NULL,
    capacity    int         NOT NULL,
    health      text        NOT NULL,
    vanished    boolean     NOT NULL,
    source      text        NOT NULL,
    mark        bigint      NOT NULL,
    observed_at timestamptz NOT NULL
);
CREATE INDEX observed_instances_by_instance ON observed_instances (instance, id);
CREATE INDEX observed_instances_by_application ON observed_instances (application);
CREATE INDEX observed_instances_by_host ON observed_instances (host);
CREATE INDEX observed_instances_by_time ON observed_instances (at);

-- The same of a host, the mark of the last effect on it included.
CREATE TABLE observed_hosts (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    host        text        NOT NULL,
    labels      jsonb       NOT NULL,
    effect_mark bigint      NOT NULL
);
CREATE INDEX observed_hosts_by_host ON observed_hosts (host, id);
CREATE INDEX observed_hosts_by_time ON observed_hosts (at);

-- Since when all of it is there.
CREATE TABLE observations_kept (
    only_one boolean     PRIMARY KEY DEFAULT true CHECK (only_one),
    since    timestamptz NOT NULL
);

INSERT INTO observed_hosts (host, labels, effect_mark) SELECT name, labels, effect_mark FROM hosts;
INSERT INTO observed_instances
    (instance, application, host, zone, capacity, health, vanished, source, mark, observed_at)
SELECT id, application, host, zone, capacity, health, vanished_at IS NOT NULL, source, mark, observed_at FROM instances;
INSERT INTO observations_kept (since) VALUES (clock_timestamp());

CREATE FUNCTION refuse_other_past() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER never_changed BEFORE UPDATE ON observed_reports FOR EACH ROW EXECUTE FUNCTION refuse_other_past();
CREATE TRIGGER never_changed BEFORE UPDATE ON observed_instances FOR EACH ROW EXECUTE FUNCTION refuse_other_past();
CREATE TRIGGER never_changed BEFORE UPDATE ON observed_hosts FOR EACH ROW EXECUTE FUNCTION refuse_other_past();

-- Written by triggers, so that no writer can forget it. What is new comes by the thousand and is copied by the statement;
-- what changed is looked at row by row, because most of what a report writes says nothing new.
CREATE FUNCTION observe_new_instances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_instances
        (instance, application, host, zone, capacity, health, vanished, source, mark, observed_at)
    SELECT id, application, host, zone, capacity, health, vanished_at IS NOT NULL, source, mark, observed_at FROM seen;
    RETURN NULL;
END $$;
CREATE TRIGGER observe_new AFTER INSERT ON instances REFERENCING NEW TABLE AS seen
    FOR EACH STATEMENT EXECUTE FUNCTION observe_new_instances();

CREATE FUNCTION observe_instance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_instances
        (instance, application, host, zone, capacity, health, vanished, source, mark, observed_at)
    VALUES (NEW.id, NEW.application, NEW.host, NEW.zone, NEW.capacity, NEW.health, NEW.vanished_at IS NOT NULL, NEW.source,
            NEW.mark, NEW.observed_at);
    RETURN NULL;
END $$;
CREATE TRIGGER observe_change AFTER UPDATE ON instances FOR EACH ROW
    WHEN ((OLD.application, OLD.host, OLD.zone, OLD.capacity, OLD.health, OLD.source, OLD.vanished_at IS NULL)
        IS DISTINCT FROM (NEW.application, NEW.host, NEW.zone, NEW.capacity, NEW.health, NEW.source, NEW.vanished_at IS NULL))
    EXECUTE FUNCTION observe_instance();

CREATE FUNCTION observe_new_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_hosts (host, labels, effect_mark) SELECT name, labels, effect_mark FROM seen;
    RETURN NULL;
END $$;
CREATE TRIGGER observe_new AFTER INSERT ON hosts REFERENCING NEW TABLE AS seen
    FOR EACH STATEMENT EXECUTE FUNCTION observe_new_hosts();

CREATE FUNCTION observe_host() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_hosts (host, labels, effect_mark) VALUES (NEW.name, NEW.labels, NEW.effect_mark);
    RETURN NULL;
END $$;
CREATE TRIGGER observe_change AFTER UPDATE ON hosts FOR EACH ROW
    WHEN ((OLD.labels, OLD.effect_mark) IS DISTINCT FROM (NEW.labels, NEW.effect_mark))
    EXECUTE FUNCTION observe_host();

-- A result with a read of its host counts as an observation, unless the board objected to it.
CREATE FUNCTION observe_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_reports (source, mark, issued_at, job, instances, oldest_at)
    SELECT m.source, m.mark, m.issued_at, NEW.id, array_agg(x.id) FILTER (WHERE x.id IS NOT NULL),
           LEAST(min(to_timestamp(x."observedAt" / 1000.0)), m.issued_at)
    FROM marks m
    LEFT JOIN jsonb_to_recordset(COALESCE(NEW.result->'instances', '[]')) AS x(id text, "observedAt" bigint) ON true
    WHERE m.mark = CAST(NEW.result->>'mark' AS bigint)
    GROUP BY m.source, m.mark, m.issued_at
    HAVING count(x.id) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER observe_read AFTER UPDATE OF result ON jobs FOR EACH ROW
    WHEN (OLD.result IS NULL AND NEW.result ? 'mark' AND NOT NEW.result ? 'objection')
    EXECUTE FUNCTION observe_read();
