-- A brake that was lifted is no reason any more: who waited for it is looked at anew, and until then has none.
CREATE INDEX lock_history_unfrozen ON lock_history (at) WHERE what = 'Unfrozen';

CREATE FUNCTION forget_brake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE host_upgrades SET reason = ''
    WHERE state = 'Pending' AND grant_id IS NULL AND reason LIKE 'the fleet is frozen by %';
    RETURN NULL;
END $$;
CREATE TRIGGER forget_brake AFTER INSERT ON lock_history FOR EACH ROW
    WHEN (NEW.what = 'Unfrozen') EXECUTE FUNCTION forget_brake();

-- Why a host waits now: while its rollout may not begin hosts, no rule counts.
CREATE FUNCTION reason_now(upgrade host_upgrades) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN upgrade.state = 'Pending' AND upgrade.grant_id IS NULL AND r.state = 'Paused'
        THEN 'rollout ' || r.id || ' is paused'
             || CASE WHEN r.state_by = '' THEN '' ELSE ' by ' || r.state_by END
             || CASE WHEN r.state_reason = '' THEN '' ELSE ': ' || r.state_reason END
        WHEN upgrade.state = 'Pending' AND upgrade.grant_id IS NULL AND r.state = 'Scheduled'
        THEN 'rollout ' || r.id || ' begins at '
             || to_char(r.start_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        ELSE upgrade.reason END
    FROM rollouts r WHERE r.id = upgrade.rollout
$$;
