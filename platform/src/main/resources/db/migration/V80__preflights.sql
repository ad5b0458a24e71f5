-- Before a host is granted, its consumer is asked whether it could be updated now: the jobs of kind Preflight. They come before
-- the grant, so they have a table of their own; the row is the truth here as well. At most one of a host and rollout is open.
-- Of those that ended the last one of a host is kept, and the one before while a repeated result may still come in.
CREATE TABLE preflights (
    id          text        PRIMARY KEY,
    rollout     text        NOT NULL,
    host        text        NOT NULL,
    round       int         NOT NULL,
    topic       text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('Pending', 'Claimed', 'Done', 'Failed', 'Unknown', 'Expired', 'Cancelled')),
    attempt     int         NOT NULL DEFAULT 0,
    spec        jsonb       NOT NULL,
    result      jsonb,
    -- Of one that did not pass: what can mend it, and a word that hosts which fail alike have in common.
    mend        text        CHECK (mend IN ('Time', 'People')),
    cause       text        NOT NULL DEFAULT '',
    consumer    text,
    claim       text,
    lease_until timestamptz,
    -- From the first claim on: one that nobody claims does not end.
    deadline    timestamptz,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at    timestamptz,
    UNIQUE (rollout, host, round),
    FOREIGN KEY (rollout, host) REFERENCES host_upgrades
);
CREATE UNIQUE INDEX preflights_open ON preflights (rollout, host) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX preflights_open_of_topic ON preflights (topic) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX preflights_ended_of_topic ON preflights (topic, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX preflights_ended_of_rollout ON preflights (rollout, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX preflights_refused ON preflights (host) WHERE mend = 'People';

ALTER TABLE host_upgrades
    -- Until when it may be granted by what its last preflight found; null when it did not pass, or was not asked.
    ADD COLUMN ready_until   timestamptz,
    -- From when on it may be asked again; null: at once.
    ADD COLUMN ask_at        timestamptz,
    -- How often it did not pass since it passed last: the back-off doubles each time.
    ADD COLUMN asked_in_vain int NOT NULL DEFAULT 0;
-- As host_upgrades_free, of those that the grantor may take: it must not look through all that wait to be asked.
CREATE INDEX host_upgrades_ready ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NULL
      AND ready_until IS NOT NULL;
CREATE INDEX host_upgrades_ready_until ON host_upgrades (ready_until)
    WHERE ready_until IS NOT NULL AND state = 'Pending' AND grant_id IS NULL;
