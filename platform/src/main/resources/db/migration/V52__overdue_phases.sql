-- Phases of hosts that take longer than policies allow or than they usually do, as the watchdog found them. A row is open
-- while the phase lasts; one that is found again after it went on is told again.
CREATE TABLE overdue_phases (
    grant_id text        NOT NULL REFERENCES grants,
    host     text        NOT NULL REFERENCES hosts,
    -- The step that does not end, or ended and was not followed by another.
    phase    text        NOT NULL,
    -- The job that does not end; null when nothing is on the board.
    job      text,
    cause    text        NOT NULL CHECK (cause IN ('Unclaimed', 'Silent', 'Working', 'NotLed')),
    began_at timestamptz NOT NULL,
    -- What people read: how long, what is allowed or usual, who is waited for, and who waits because of it.
    says     text        NOT NULL,
    -- Pending hosts that cannot begin while it holds budget of their applications, when it was last looked at.
    cost     int         NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    over_at  timestamptz,
    PRIMARY KEY (grant_id, host, phase)
);
CREATE INDEX overdue_phases_open ON overdue_phases (grant_id) WHERE over_at IS NULL;
CREATE INDEX overdue_phases_by_host ON overdue_phases (host, at);

-- The newest upgrades of a rollout tell how long phases usually take.
CREATE INDEX host_upgrades_upgraded ON host_upgrades (rollout, ended_at) WHERE state = 'Upgraded';

-- Their teams are told, as by the trigger note_owners of other kinds.
CREATE TRIGGER note_owners_of_overdue BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('PhaseOverdue', 'PhaseGoesOn')) EXECUTE FUNCTION note_owners();
