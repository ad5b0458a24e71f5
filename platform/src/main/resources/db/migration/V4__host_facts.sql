-- What executors read on a host before its update and after it. Hosts of a fleet mostly have the same packages, so each
-- distinct list is kept once.
CREATE TABLE package_lists (
    -- SHA-256 of the list in its one form: lines NAME VERSION, sorted.
    digest   bytea PRIMARY KEY,
    -- Version by name; several versions installed side by side are separated by blanks.
    packages jsonb NOT NULL
);

CREATE TABLE host_facts (
    rollout  text        NOT NULL,
    host     text        NOT NULL,
    moment   text        NOT NULL CHECK (moment IN ('before', 'after')),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- osFamily, osRelease and kernel, as far as they were told.
    facts    jsonb       NOT NULL,
    packages bytea       REFERENCES package_lists,
    -- What is wrong with the facts; a report counts only hosts whose facts have no fault.
    fault    text        NOT NULL DEFAULT '',
    PRIMARY KEY (rollout, host, moment),
    FOREIGN KEY (rollout, host) REFERENCES host_upgrades
);
