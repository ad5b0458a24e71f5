-- Hosts of a rollout that go first for one policy. How far they are is seen from their upgrades; what is kept here is
-- what was asked, what those who wait were told last, and that they need not wait any more.
CREATE TABLE canary_gates (
    rollout      text        NOT NULL REFERENCES rollouts,
    policy       text        NOT NULL,
    -- Of the policy, when the rollout was submitted.
    version      int         NOT NULL,
    applications text[]      NOT NULL,
    -- In the order of the plan.
    hosts        text[]      NOT NULL,
    soak_seconds int         NOT NULL,
    says         text        NOT NULL DEFAULT '',
    passed_at    timestamptz,
    PRIMARY KEY (rollout, policy)
);
CREATE INDEX canary_gates_closed ON canary_gates (rollout) WHERE passed_at IS NULL;

-- Policies of the gates a host still waits for; a host that waits for none may go.
ALTER TABLE host_upgrades ADD COLUMN waits_for text[] NOT NULL DEFAULT '{}';
