-- Hosts that etcd should hold and does not: the grantor locks them as soon as nobody else has them.
CREATE TABLE impounds (
    -- Grant id, or the id of the lock that was lost.
    lock_id  text        NOT NULL,
    host     text        NOT NULL,
    hosts    text[]      NOT NULL,
    kind     text        NOT NULL CHECK (kind IN ('BATCH', 'QUARANTINE', 'FLEETLOCK')),
    rollout  text,
    holder   text        NOT NULL,
    reason   text        NOT NULL,
    epoch    bigint      NOT NULL,
    beat     bigint      NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When the lock was known to stand.
    done_at  timestamptz,
    PRIMARY KEY (lock_id, host)
);
CREATE INDEX impounds_open ON impounds (asked_at) WHERE done_at IS NULL;
