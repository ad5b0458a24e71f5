-- What the teams' controllers are asked, and what they answered: the jobs of kind Approve. They belong to no grant, so they
-- have a table of their own; the row is the truth here as well. At most one question of a topic is open at a time.
CREATE TABLE approvals (
    id          text        PRIMARY KEY,
    topic       text        NOT NULL,
    round       int         NOT NULL,
    state       text        NOT NULL CHECK (state IN ('Pending', 'Claimed', 'Done', 'Failed', 'Unknown', 'Expired')),
    attempt     int         NOT NULL DEFAULT 0,
    spec        jsonb       NOT NULL,
    result      jsonb,
    -- Why the last result that came in was not taken.
    refusal     text,
    consumer    text,
    claim       text,
    lease_until timestamptz,
    deadline    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at    timestamptz,
    -- Until when what was approved counts, and from when on the rest may be asked about again.
    expires_at  timestamptz,
    retry_at    timestamptz,
    UNIQUE (topic, round)
);
CREATE UNIQUE INDEX approvals_open ON approvals (topic) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX approvals_ended ON approvals (ended_at) WHERE ended_at IS NOT NULL;

-- The earliest end of the approvals the open check rests on; null when it rests on none.
ALTER TABLE grants ADD COLUMN open_until timestamptz;
ALTER TABLE checks ADD COLUMN valid_until timestamptz;
