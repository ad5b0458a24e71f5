-- What people approve before it is tried on a host, by the policies when its remediation began.
ALTER TABLE remediations ADD COLUMN approve text[] NOT NULL DEFAULT '{}';

-- A question to people whether something is tried on a host. It lasts until they answer, or the remediation ends.
CREATE TABLE repair_approvals (
    id          text        PRIMARY KEY,
    grant_id    text        NOT NULL,
    host        text        NOT NULL,
    step        text        NOT NULL,
    rung        text        NOT NULL,
    -- What was found last before it was asked.
    found       text        NOT NULL,
    asked_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    answer      text        CHECK (answer IN ('Approve', 'Refuse')),
    answered_by text,
    answered_at timestamptz,
    reason      text        NOT NULL DEFAULT '',
    UNIQUE (grant_id, host, step, rung),
    FOREIGN KEY (grant_id, host, step) REFERENCES remediations
);
CREATE INDEX repair_approvals_open ON repair_approvals (asked_at) WHERE answer IS NULL;

-- Their teams are told, as by the trigger note_owners of other kinds.
CREATE TRIGGER note_owners_of_approvals BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RemediationAsked', 'RemediationAnswered')) EXECUTE FUNCTION note_owners();
