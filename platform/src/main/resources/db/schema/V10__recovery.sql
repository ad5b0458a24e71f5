-- What tells that a store was restored.

CREATE SEQUENCE beats;

-- Both stores are of one time: acknowledged <= the beat in etcd <= the last one taken here, there or by a grant.
CREATE TABLE store_beats (
    only_one     boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    -- Counts restores; the first part of every fencing token.
    epoch        bigint NOT NULL DEFAULT 1,
    -- The last beat that was taken for itself; grants have theirs.
    taken        bigint NOT NULL DEFAULT 0,
    -- The last beat that etcd is known to have.
    acknowledged bigint NOT NULL DEFAULT 0,
    -- Revision of etcd's generation under which that beat was written: every change of a policy raises it.
    generation   bigint NOT NULL DEFAULT 0
);

-- A store was restored: nothing is granted or claimed until the hosts of both stores were read back.
CREATE TABLE recoveries (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The store that is older than the other.
    behind     text NOT NULL CHECK (behind IN ('PostgreSQL', 'etcd')),
    reason     text NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The epoch that begins with its end; set when what both stores know of was joined.
    epoch      bigint,
    joined_at  timestamptz,
    ended_at   timestamptz,
    last_event bigint DEFAULT last_event()
);
CREATE UNIQUE INDEX recoveries_open ON recoveries ((true)) WHERE ended_at IS NULL;

CREATE TABLE recovery_hosts (
    recovery bigint NOT NULL REFERENCES recoveries,
    host     text NOT NULL,
    grant_id text NOT NULL,
    -- When it was known what became of it.
    read_at  timestamptz,
    PRIMARY KEY (recovery, host)
);

INSERT INTO store_beats DEFAULT VALUES;
