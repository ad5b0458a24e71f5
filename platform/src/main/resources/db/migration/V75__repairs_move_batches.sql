-- The end of a repair moves its batch like the end of any other job: remediations have no workflows any more.
DROP TRIGGER wake_remediation ON jobs;
DROP FUNCTION wake_remediation();
DELETE FROM wakeups WHERE delivered_at IS NULL AND workflow LIKE 'remediation/%';
