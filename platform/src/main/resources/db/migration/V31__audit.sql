-- How far the auditor has followed the event feed.
CREATE TABLE audit_position (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    number   bigint  NOT NULL
);
-- What was before is found by whoever asks for it.
INSERT INTO audit_position (number) SELECT COALESCE(max(number), 0) FROM events;

-- Violations it found, each once however often it is found again.
CREATE TABLE audit_violations (
    rollout   text        NOT NULL,
    invariant text        NOT NULL,
    object    text        NOT NULL,
    says      text        NOT NULL,
    found_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When whoever is to act on it had been told; null where nobody is or it has not been done.
    told_at   timestamptz,
    PRIMARY KEY (rollout, invariant, object, says)
);
CREATE INDEX audit_violations_untold ON audit_violations (found_at) WHERE told_at IS NULL;

-- Looked for in every round, and hardly ever there.
CREATE INDEX lock_history_gaps ON lock_history (at) WHERE what = 'Gap';
