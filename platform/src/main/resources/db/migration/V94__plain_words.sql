-- Only the fleet is frozen: a host is cordoned. Only a lock is held: a verdict waits, a batch is requeued, and people are asked.

ALTER TABLE checks DROP CONSTRAINT checks_state_check;
UPDATE checks SET state = 'Wait' WHERE state = 'Hold';
ALTER TABLE checks ADD CHECK (state IN ('requested', 'Grant', 'Wait'));

ALTER TABLE grants DROP CONSTRAINT grants_undo_check, DROP CONSTRAINT grants_on_host_failure_check;
UPDATE grants SET undo = 'Requeued' WHERE undo = 'Held';
UPDATE grants SET end_state = 'Requeued' WHERE end_state = 'Held';
UPDATE grants SET on_host_failure = 'Ask' WHERE on_host_failure = 'Hold';
ALTER TABLE grants
    ADD CHECK (undo IN ('Requeued', 'Reverted', 'Cancelled')),
    ADD CHECK (on_host_failure IN ('Ask', 'GoOn', 'Abort'));
ALTER TABLE host_upgrades RENAME held_times TO requeued_times;

UPDATE jobs
SET step = CASE step WHEN 'Freeze' THEN 'Cordon' ELSE 'Uncordon' END,
    spec = jsonb_set(spec, '{step}', CASE step WHEN 'Freeze' THEN '"Cordon"' ELSE '"Uncordon"' END::jsonb)
WHERE step IN ('Freeze', 'Unfreeze');
UPDATE host_upgrades SET step = CASE step WHEN 'Freeze' THEN 'Cordon' ELSE 'Uncordon' END WHERE step IN ('Freeze', 'Unfreeze');
UPDATE decisions SET step = CASE step WHEN 'Freeze' THEN 'Cordon' ELSE 'Uncordon' END WHERE step IN ('Freeze', 'Unfreeze');
UPDATE overdue_phases SET phase = CASE phase WHEN 'Freeze' THEN 'Cordon' ELSE 'Uncordon' END WHERE phase IN ('Freeze', 'Unfreeze');

UPDATE events SET kind = 'HostRequeued' WHERE kind = 'HostHeld';
UPDATE events SET data = jsonb_set(data, '{to}', '"Requeued"') WHERE kind = 'BatchTurnedBack' AND data->>'to' = 'Held';
UPDATE subscriptions SET events = array_replace(events, 'Held', 'Requeued');
UPDATE policies
SET yaml = regexp_replace(regexp_replace(regexp_replace(yaml,
        '(onHostFailure:\s*["'']?)Hold', '\1Ask', 'g'),
        '(onUnknown:\s*["'']?)Hold', '\1Wait', 'g'),
        '([{\s]["'']?)freeze(["'']?:\s*["'']?[1-9])', '\1cordon\2', 'g')
WHERE yaml ~ 'Hold|freeze';

DROP TRIGGER note_owners ON events;
CREATE TRIGGER note_owners BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind IN ('RolloutCreated', 'RolloutChanged', 'RolloutEnded', 'HostUpgraded', 'HostSkipped', 'HostRequeued',
                       'HostReverted', 'HostCancelled', 'HostQuarantined', 'JobFailed', 'JobUnknown', 'JobExpired',
                       'DecisionAsked', 'DecisionAnswered')
          OR (NEW.kind = 'HostUpgradeChanged'
              AND (NEW.data->>'step' = 'Drain' AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'step' IS NULL AND NEW.data->>'state' = 'InProgress'
                   OR NEW.data->>'state' = 'Cancelled'))
          OR (NEW.kind IN ('LockGranted', 'LockQuarantined', 'LockLapsed', 'LockEnded') AND NEW.rollout IS NULL))
    EXECUTE FUNCTION note_owners();
