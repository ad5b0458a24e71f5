-- A host that people bring back to service: its quarantine ends in the hands of the grantor, which locks it for the batch
-- that brings it back before anybody else gets it.
ALTER TABLE impounds
    -- The quarantine that ends for it.
    ADD COLUMN replaces      text,
    -- What was seen of the host before this mark says nothing of it.
    ADD COLUMN replaces_mark bigint,
    ADD CHECK ((replaces IS NULL) = (replaces_mark IS NULL));
