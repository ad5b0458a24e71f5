-- The rollout that brought a host further than its own rollout would, as it was when the host was
-- granted: such a host is left as it is, and ends Skipped.
ALTER TABLE host_upgrades ADD COLUMN superseded_by text;

-- Whether a rollout takes hosts back to an older release: a revert, or the retry of one.
CREATE FUNCTION goes_back(of_rollout text) RETURNS boolean LANGUAGE sql STABLE AS $$
    WITH RECURSIVE line(origin, rollout) AS (
        SELECT origin, origin_rollout FROM rollouts WHERE id = of_rollout
        UNION ALL
        SELECT e.origin, e.origin_rollout
        FROM line JOIN rollouts e ON e.id = line.rollout WHERE line.origin = 'Retry')
    SELECT EXISTS (SELECT FROM line WHERE origin = 'Revert')
$$;
