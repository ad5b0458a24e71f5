-- Hosts of one hardware class that carry applications of one policy, of which too many failed in a rollout: no further one
-- begins until people say so.
CREATE TABLE cohort_halts (
    rollout        text        NOT NULL REFERENCES rollouts,
    policy         text        NOT NULL,
    hardware_class text        NOT NULL,
    applications   text[]      NOT NULL,
    says           text        NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (rollout, policy, hardware_class)
);

-- Failures before people looked and let the rollout go on are not counted again.
ALTER TABLE rollouts ADD COLUMN counted_from timestamptz NOT NULL DEFAULT '-infinity';
