-- Which transaction last changed a host or an instance, so that who keeps the fleet in memory reads only what changed since
-- it last looked. Written by the triggers alone, also for replicated rows, so that no writer can forget it. A number
-- instead of an xid8, for an index that knows ranges of pages only: a row that is written again keeps its place in all
-- other indexes, and reports write every instance again and again.
ALTER TABLE hosts ADD COLUMN changed bigint NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN changed bigint NOT NULL DEFAULT 0;
CREATE INDEX hosts_by_change ON hosts USING brin (changed) WITH (pages_per_range = 8, autosummarize = on);
CREATE INDEX instances_by_change ON instances USING brin (changed) WITH (pages_per_range = 8, autosummarize = on);

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

-- Rows vanish, they are not removed. Whoever removes some all the same makes others read everything anew.
CREATE TABLE fleet_removals (times bigint NOT NULL);
INSERT INTO fleet_removals VALUES (0);
CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE fleet_removals SET times = times + 1;
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
