-- What happened to tickets and locks, as etcd's log told it. Written by the history tailer alone.
CREATE TABLE lock_history (
    -- Counts restores of etcd, whose revisions begin anew with each.
    epoch     bigint      NOT NULL,
    revision  bigint      NOT NULL,
    -- Place among what happened in one revision.
    ordinal   int         NOT NULL,
    -- When it was written down, moments after it happened: etcd's log has no times.
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    what      text        NOT NULL,
    -- Ticket id of a ticket or session lock, grant id of a hold; empty for a gap.
    lock_id   text        NOT NULL,
    kind      text        NOT NULL,
    hosts     text[]      NOT NULL,
    holder    text        NOT NULL,
    -- Who did it: the holder, the grantor, or whoever ended it.
    by        text        NOT NULL,
    reason    text        NOT NULL,
    token     bigint      NOT NULL,
    rollout   text,
    PRIMARY KEY (epoch, revision, ordinal)
);
CREATE INDEX lock_history_hosts ON lock_history USING gin (hosts);
CREATE INDEX lock_history_lock ON lock_history (lock_id);

-- How far etcd's log is written down. etcd forgets nothing after it, up to a limit.
CREATE TABLE lock_history_bookmark (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    epoch    bigint NOT NULL,
    revision bigint NOT NULL
);
