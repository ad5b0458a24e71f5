-- A cohort is the hosts of one hardware class that carry one application, no longer those that carry any of a policy's.
ALTER TABLE cohort_halts RENAME TO cohort_halts_by_policy;
CREATE TABLE cohort_halts (
    rollout        text        NOT NULL REFERENCES rollouts,
    policy         text        NOT NULL,
    hardware_class text        NOT NULL,
    application    text        NOT NULL,
    says           text        NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (rollout, policy, hardware_class, application)
);
-- What was halted stays so, until people resume the rollout.
INSERT INTO cohort_halts (rollout, policy, hardware_class, application, says, at)
SELECT DISTINCT rollout, policy, hardware_class, unnest(applications), says, at FROM cohort_halts_by_policy;
DROP TABLE cohort_halts_by_policy;
