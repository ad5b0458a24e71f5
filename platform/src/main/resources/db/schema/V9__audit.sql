-- Who did what, and what the auditor found.

CREATE TABLE audit (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    principal text NOT NULL,
    team      text NOT NULL,
    role      text NOT NULL,
    action    text NOT NULL,
    object    text NOT NULL,
    detail    jsonb NOT NULL DEFAULT '{}'
);

-- How far the auditor has followed the event feed.
CREATE TABLE audit_position (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    number   bigint NOT NULL
);

-- Violations it found, each once however often it is found again.
CREATE TABLE audit_violations (
    rollout   text NOT NULL,
    invariant text NOT NULL,
    object    text NOT NULL,
    says      text NOT NULL,
    found_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When whoever is to act on it had been told; null where nobody is or it has not been done.
    told_at   timestamptz,
    PRIMARY KEY (rollout, invariant, object, says)
);
CREATE INDEX audit_violations_untold ON audit_violations (found_at) WHERE told_at IS NULL;

INSERT INTO audit_position (number) VALUES (0);
