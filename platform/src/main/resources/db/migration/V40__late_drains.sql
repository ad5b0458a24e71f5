-- What consumers tell while they drain: how much is left, of what, and when it was last less than ever before. The first report
-- and the least tell a slow drain from one that is stuck.
ALTER TABLE jobs
    ADD COLUMN left_first   bigint,
    ADD COLUMN left_least   bigint,
    ADD COLUMN left_now     bigint,
    ADD COLUMN left_what    text,
    ADD COLUMN left_fell_at timestamptz;

-- A batch of which hosts were not drained in time, and what became of that. Decided at once where policies say so, else by
-- people; which of an answer, the expiry and an abort was first is decided by the lock of the grant.
CREATE TABLE late_drains (
    id             text PRIMARY KEY,
    grant_id       text        NOT NULL REFERENCES grants,
    number         int         NOT NULL,
    -- The Drains that ended without a drained host; another round of them is another row.
    jobs           text[]      NOT NULL,
    hosts          text[]      NOT NULL,
    way            text        NOT NULL CHECK (way IN ('Force', 'Revert', 'Requeue', 'Ask', 'Quarantine')),
    pace           text        NOT NULL CHECK (pace IN ('Unknown', 'Slow', 'Stuck')),
    says           text        NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    remind_seconds int         NOT NULL,
    remind_at      timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    -- Who asked that what is left is stopped, until somebody else approves.
    force_by       text,
    decision       text        CHECK (decision IN ('Wait', 'Force', 'Revert', 'Requeue', 'Quarantine')),
    decided_by     text,
    decided_reason text        NOT NULL DEFAULT '',
    decided_at     timestamptz,
    -- The last round of the open check then: whoever goes on needs a later one.
    open_round     int,
    UNIQUE (grant_id, number),
    CHECK ((decision IS NULL) = (decided_by IS NULL) AND (decision IS NULL) = (decided_at IS NULL))
);
CREATE INDEX late_drains_open ON late_drains (grant_id) WHERE decision IS NULL;
CREATE INDEX late_drains_hosts ON late_drains USING gin (hosts);
