-- What is to be decided about hosts of a batch: hosts failed, were not drained in time, or are to be repaired by something that
-- people approve. Decided at once where policies say so, else by people; which of an answer, the expiry and an abort was first is
-- decided by the lock of the grant.
DROP TABLE late_drains, blocked_batches, repair_approvals;
CREATE TABLE decisions (
    id             text        PRIMARY KEY,
    grant_id       text        NOT NULL REFERENCES grants,
    number         int         NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('BlockedBatch', 'LateDrain', 'RepairApproval')),
    step           text        NOT NULL,
    -- What ended badly; another round of it is another row.
    jobs           text[]      NOT NULL,
    hosts          text[]      NOT NULL,
    -- Why, by host.
    reasons        jsonb       NOT NULL,
    says           text        NOT NULL,
    -- What its kind alone has, by name.
    facts          jsonb       NOT NULL DEFAULT '{}',
    -- Whether the batch was on its way back.
    goes_back      boolean     NOT NULL DEFAULT false,
    asked          boolean     NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    remind_seconds int,
    remind_at      timestamptz,
    expires_at     timestamptz,
    -- What a first person asked for, or policies, until a second person approves it.
    proposed       text,
    proposed_by    text,
    answer         text        CHECK (answer IN ('Retry', 'GoOn', 'Abort', 'Wait', 'Requeue', 'Force', 'Quarantine', 'Revert',
                                                 'Approve', 'Refuse')),
    answered_by    text,
    answer_reason  text        NOT NULL DEFAULT '',
    answered_at    timestamptz,
    -- The last round of the open check then: a batch that goes on needs a later one.
    open_round     int,
    UNIQUE (grant_id, number),
    CHECK ((answer IS NULL) = (answered_by IS NULL) AND (answer IS NULL) = (answered_at IS NULL)),
    CHECK ((remind_at IS NULL) = (expires_at IS NULL) AND (remind_at IS NULL) = (remind_seconds IS NULL))
);
CREATE INDEX decisions_open ON decisions (grant_id) WHERE answer IS NULL;
CREATE INDEX decisions_hosts ON decisions USING gin (hosts);

-- Teams are told of what is to be decided about hosts with their applications.
DROP TRIGGER note_owners_of_approvals ON events;
DROP TRIGGER note_owners ON events;
-- The kinds of dev.drydock.orchestrator.subscriptions.NotificationWording; its test compares them.
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostHeld',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired',
                       'DecisionAsked', 'DecisionAnswered')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
