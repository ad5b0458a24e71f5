-- What schedulers and hosts tell of the fleet.

-- A counter that is taken back with its transaction says the same of two different removals: who looked at the fleet after
-- its own, and took it back, missed the next one. A sequence gives no number twice.
CREATE SEQUENCE fleet_removal;

-- Marks order observations and effects without clocks: a reporter fetches one before it starts reading.
CREATE TABLE marks (
    mark      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source    text NOT NULL,
    issued_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE sources (
    source    text PRIMARY KEY,
    last_mark bigint NOT NULL REFERENCES marks
);

CREATE TABLE hosts (
    name               text PRIMARY KEY,
    address            text NOT NULL,
    scheduler          text NOT NULL,
    hardware_class     text NOT NULL,
    labels             jsonb NOT NULL DEFAULT '{}',
    source             text NOT NULL,
    observed_at        timestamptz NOT NULL,
    vanished_at        timestamptz,
    -- Mark of the last effect Drydock had on the host: only observations at or after it count.
    effect_mark        bigint NOT NULL DEFAULT 0,
    release            text,
    -- Another one after every start of the host; null until its source tells.
    boot_id            text,
    -- The first and the newest report that told boot_id, and the newest that told the one before it; 0 where none did.
    boot_first         bigint NOT NULL DEFAULT 0,
    boot_last          bigint NOT NULL DEFAULT 0,
    boot_before        bigint NOT NULL DEFAULT 0,
    -- Whether the newest report of the host told it: else it may have been started anew meanwhile.
    boot_told          boolean NOT NULL DEFAULT true,
    -- Which transaction last changed a host or an instance, so that who keeps the fleet in memory reads only what changed since
    -- it last looked. Written by the triggers alone, also for replicated rows, so that no writer can forget it. A number
    -- instead of an xid8, for an index that knows ranges of pages only: a row that is written again keeps its place in all
    -- other indexes, and reports write every instance again and again.
    changed            bigint NOT NULL DEFAULT 0,
    -- A host that people do not expect back. Reports about it are ignored, as if its source did not name it.
    written_off_at     timestamptz,
    written_off_by     text,
    written_off_reason text,
    CHECK ((written_off_at IS NULL) = (written_off_by IS NULL)),
    CHECK ((written_off_at IS NULL) = (written_off_reason IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX hosts_by_change ON hosts USING brin (changed) WITH (pages_per_range = 8, autosummarize = on);

CREATE TABLE instances (
    id          text PRIMARY KEY,
    application text NOT NULL,
    host        text NOT NULL REFERENCES hosts,
    zone        text NOT NULL,
    health      text NOT NULL,
    detail      text NOT NULL DEFAULT '',
    source      text NOT NULL,
    mark        bigint NOT NULL,
    -- The older of the reporter's time and the time its mark was issued.
    observed_at timestamptz NOT NULL,
    vanished_at timestamptz,
    -- Since when it is known to be down: first written down as unhealthy after the last lock on its host ended, and nothing
    -- else was heard of it since. Null when it is not.
    down_since  timestamptz,
    changed     bigint NOT NULL DEFAULT 0,
    -- How much an instance counts in rules about capacity, in units of its team; those of which nobody told count one each.
    capacity    int NOT NULL DEFAULT 1 CHECK (capacity BETWEEN 1 AND 10000)
) WITH (fillfactor = 70);
CREATE INDEX instances_by_host ON instances (host);
CREATE INDEX instances_by_application ON instances (application);
CREATE INDEX instances_by_change ON instances USING brin (changed) WITH (pages_per_range = 8, autosummarize = on);

-- Rows vanish, they are not removed. Whoever removes some all the same makes others read everything anew.
CREATE TABLE fleet_removals (
    times bigint NOT NULL
);

-- What executors read on a host before its update and after it. Hosts of a fleet mostly have the same packages, so each
-- distinct list is kept once.
CREATE TABLE package_lists (
    -- SHA-256 of the list in its one form: lines NAME VERSION, sorted.
    digest   bytea PRIMARY KEY,
    -- Version by name; several versions installed side by side are separated by blanks.
    packages jsonb NOT NULL
);

-- What was observed and when, as it was told and with its marks, for who judges later what could be known then: elsewhere
-- only the latest is kept. Rows are added and, when they are old, forgotten; none is ever changed.

-- Each report that was taken in, and each read of a host at the end of a job.
CREATE TABLE observed_reports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source      text NOT NULL,
    mark        bigint NOT NULL,
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
    instance    text NOT NULL,
    application text NOT NULL,
    host        text NOT NULL,
    zone        text NOT NULL,
    capacity    int NOT NULL,
    health      text NOT NULL,
    vanished    boolean NOT NULL,
    source      text NOT NULL,
    mark        bigint NOT NULL,
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
    host        text NOT NULL,
    labels      jsonb NOT NULL,
    effect_mark bigint NOT NULL
);
CREATE INDEX observed_hosts_by_host ON observed_hosts (host, id);
CREATE INDEX observed_hosts_by_time ON observed_hosts (at);

-- Since when all of it is there.
CREATE TABLE observations_kept (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    since    timestamptz NOT NULL
);

-- What is down by itself is not taken down by whoever repairs its host: rules over time do not count it.
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

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := CAST(CAST(pg_current_xact_id() AS text) AS bigint);
    RETURN NEW;
END $$;
CREATE TRIGGER note_change BEFORE INSERT ON hosts FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE INSERT ON instances FOR EACH ROW EXECUTE FUNCTION note_change();

-- Of a host every report writes when it was seen, which is not looked at. The condition names what FleetMirror reads.
CREATE TRIGGER note_changed BEFORE UPDATE ON hosts FOR EACH ROW
    WHEN ((OLD.name, OLD.source, OLD.labels, OLD.effect_mark, OLD.vanished_at, OLD.changed)
        IS DISTINCT FROM (NEW.name, NEW.source, NEW.labels, NEW.effect_mark, NEW.vanished_at, NEW.changed))
    EXECUTE FUNCTION note_change();
CREATE TRIGGER note_changed BEFORE UPDATE ON instances FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note_change();

CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE fleet_removals SET times = nextval('fleet_removal');
    RETURN NULL;
END $$;
CREATE TRIGGER note_removal AFTER DELETE OR TRUNCATE ON hosts EXECUTE FUNCTION note_removal();
CREATE TRIGGER note_removal AFTER DELETE OR TRUNCATE ON instances EXECUTE FUNCTION note_removal();
ALTER TABLE hosts ENABLE ALWAYS TRIGGER note_change;
ALTER TABLE hosts ENABLE ALWAYS TRIGGER note_changed;
ALTER TABLE hosts ENABLE ALWAYS TRIGGER note_removal;
ALTER TABLE instances ENABLE ALWAYS TRIGGER note_change;
ALTER TABLE instances ENABLE ALWAYS TRIGGER note_changed;
ALTER TABLE instances ENABLE ALWAYS TRIGGER note_removal;

-- Of a row that has another name from now on, the old name is removed.
CREATE TRIGGER note_renamed AFTER UPDATE OF name ON hosts FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION note_removal();
CREATE TRIGGER note_renamed AFTER UPDATE OF id ON instances FOR EACH ROW
    WHEN (OLD.id IS DISTINCT FROM NEW.id) EXECUTE FUNCTION note_removal();
ALTER TABLE hosts ENABLE ALWAYS TRIGGER note_renamed;
ALTER TABLE instances ENABLE ALWAYS TRIGGER note_renamed;

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

-- The last mark that was issued: what is written now was written after it, whatever clocks say.
CREATE FUNCTION last_mark() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT last_value FROM marks_mark_seq $$;

INSERT INTO fleet_removals VALUES (0);
SELECT setval('fleet_removal', 1);
INSERT INTO observations_kept (since) VALUES (clock_timestamp());
