-- What is tried on a host on which a step failed after its update began, before it is quarantined. A step is remediated once
-- on a host under a grant.
CREATE TABLE remediations (
    grant_id text        NOT NULL REFERENCES grants,
    host     text        NOT NULL REFERENCES hosts,
    -- The step that failed, and why.
    step     text        NOT NULL,
    reason   text        NOT NULL,
    -- What may be tried, by the policies when it began.
    ladder   text[]      NOT NULL,
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Open -> Resumed (the step has ended well), Exhausted (nothing helped) or Left (its host was taken out of the batch).
    state    text        NOT NULL DEFAULT 'Open' CHECK (state IN ('Open', 'Resumed', 'Exhausted', 'Left')),
    says     text        NOT NULL DEFAULT '',
    ended_at timestamptz,
    PRIMARY KEY (grant_id, host, step)
);
CREATE UNIQUE INDEX remediations_open ON remediations (grant_id, host) WHERE state = 'Open';
CREATE INDEX remediations_by_host ON remediations (host);

-- What was done, in order; how it ended is said by the job.
CREATE TABLE remediation_steps (
    grant_id text NOT NULL,
    host     text NOT NULL,
    step     text NOT NULL,
    number   int  NOT NULL,
    action   text NOT NULL,
    -- The place on the ladder of what it is the first action of.
    rung     int,
    job      text NOT NULL UNIQUE REFERENCES jobs,
    PRIMARY KEY (grant_id, host, step, number),
    FOREIGN KEY (grant_id, host, step) REFERENCES remediations
);

-- Whether a remediation published it. Whoever ends such a job wakes its workflow.
ALTER TABLE jobs ADD COLUMN repairs boolean NOT NULL DEFAULT false;
CREATE FUNCTION wake_remediation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wakeups (workflow, cause) VALUES ('remediation/' || NEW.grant_id || '/' || NEW.host, NEW.id);
    PERFORM pg_notify('relay', '');
    RETURN NULL;
END $$;
CREATE TRIGGER wake_remediation AFTER UPDATE OF state ON jobs FOR EACH ROW
    WHEN (NEW.repairs AND NEW.state NOT IN ('Pending', 'Claimed') AND OLD.state IN ('Pending', 'Claimed'))
    EXECUTE FUNCTION wake_remediation();
