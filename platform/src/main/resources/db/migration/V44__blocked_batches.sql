-- What policies said, when the batch began, that it does when one of its hosts fails; null: all go back.
ALTER TABLE grants
    ADD COLUMN on_host_failure text CHECK (on_host_failure IN ('Hold', 'GoOn', 'Abort'));

-- A batch of which hosts failed, and what became of that. Decided at once where policies say so, else by people; which of an
-- answer and an abort was first is decided by the lock of the grant.
CREATE TABLE blocked_batches (
    id             text PRIMARY KEY,
    grant_id       text        NOT NULL REFERENCES grants,
    number         int         NOT NULL,
    step           text        NOT NULL,
    -- What ended badly; another round of it is another row.
    jobs           text[]      NOT NULL,
    hosts          text[]      NOT NULL,
    -- Why, by host.
    reasons        jsonb       NOT NULL,
    -- Whether it was on its way back.
    goes_back      boolean     NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    decision       text        CHECK (decision IN ('Retry', 'GoOn', 'Abort')),
    decided_by     text,
    decided_reason text        NOT NULL DEFAULT '',
    decided_at     timestamptz,
    UNIQUE (grant_id, number),
    CHECK ((decision IS NULL) = (decided_by IS NULL) AND (decision IS NULL) = (decided_at IS NULL))
);
CREATE INDEX blocked_batches_open ON blocked_batches (grant_id) WHERE decision IS NULL;
CREATE INDEX blocked_batches_hosts ON blocked_batches USING gin (hosts);

-- Teams are told of what blocks batches with their hosts.
DROP TRIGGER note_owners ON events;
-- The kinds of dev.drydock.orchestrator.subscriptions.Told; its test compares them.
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostHeld',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired',
                       'DrainAsked', 'DrainAnswered', 'BatchBlocked', 'BatchUnblocked')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
