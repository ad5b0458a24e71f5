-- A counter that is taken back with its transaction says the same of two different removals: who looked at the fleet after
-- its own, and took it back, missed the next one. A sequence gives no number twice. (The column keeps its name for servers of
-- the version before, which ask only whether it is another.)
CREATE SEQUENCE fleet_removal;
SELECT setval('fleet_removal', (SELECT max(times) + 1 FROM fleet_removals));
CREATE OR REPLACE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE fleet_removals SET times = nextval('fleet_removal');
    RETURN NULL;
END $$;

-- Of a row that has another name from now on, the old name is removed.
CREATE TRIGGER note_renamed AFTER UPDATE OF name ON hosts FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION note_removal();
CREATE TRIGGER note_renamed AFTER UPDATE OF id ON instances FOR EACH ROW
    WHEN (OLD.id IS DISTINCT FROM NEW.id) EXECUTE FUNCTION note_removal();
ALTER TABLE hosts ENABLE ALWAYS TRIGGER note_renamed;
ALTER TABLE instances ENABLE ALWAYS TRIGGER note_renamed;
