-- An observation says under what a host ran when its mark was fetched or later, and nothing of what came before.
ALTER TABLE hosts
    -- The first and the newest report that told boot_id, and the newest that told the one before it; 0 where none did.
    ADD COLUMN boot_first  bigint  NOT NULL DEFAULT 0,
    ADD COLUMN boot_last   bigint  NOT NULL DEFAULT 0,
    ADD COLUMN boot_before bigint  NOT NULL DEFAULT 0,
    -- Whether the newest report of the host told it: else it may have been started anew meanwhile.
    ADD COLUMN boot_told   boolean NOT NULL DEFAULT true;

ALTER TABLE fleetlock_boots
    -- The newest mark when the client asked: later ones belong to observations that began after that.
    ADD COLUMN mark bigint  NOT NULL DEFAULT -1,
    -- Whether boot_id was what the host ran under just then.
    ADD COLUMN told boolean NOT NULL DEFAULT true;
