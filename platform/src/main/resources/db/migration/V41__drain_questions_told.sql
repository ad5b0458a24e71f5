-- Teams are told of questions about hosts with their applications.
DROP TRIGGER note_owners ON events;
-- The kinds of dev.drydock.orchestrator.subscriptions.Told; its test compares them.
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostHeld',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired',
                       'DrainAsked', 'DrainAnswered')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
