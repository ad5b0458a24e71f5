-- A host that people do not expect back. Reports about it are ignored, as if its source did not name it.
ALTER TABLE hosts
    ADD COLUMN written_off_at     timestamptz,
    ADD COLUMN written_off_by     text,
    ADD COLUMN written_off_reason text,
    ADD CHECK ((written_off_at IS NULL) = (written_off_by IS NULL)),
    ADD CHECK ((written_off_at IS NULL) = (written_off_reason IS NULL));
