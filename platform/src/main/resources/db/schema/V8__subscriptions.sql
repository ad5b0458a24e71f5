-- Whom events are told.

-- What teams want to be told of the event feed, and how far each of these readers has come.
CREATE TABLE subscriptions (
    team         text NOT NULL,
    name         text NOT NULL,
    -- Words of NotificationEvent, applications and rollouts; each empty for all.
    events       text[] NOT NULL,
    applications text[] NOT NULL,
    rollouts     text[] NOT NULL,
    -- The number of the last event its reader has done with. It goes back only by a replay.
    acknowledged bigint NOT NULL,
    -- Events of the team's hosts that were forgotten before they were acknowledged: how many, up to which, and when they were.
    lost         bigint NOT NULL DEFAULT 0,
    lost_upto    bigint NOT NULL DEFAULT 0,
    lost_from    timestamptz,
    lost_to      timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by   text NOT NULL,
    PRIMARY KEY (team, name)
);

-- What the policies in force tell which subscription of their team (notify): of their applications it gets these words only.
CREATE TABLE policy_notices (
    policy       text NOT NULL,
    subscription text NOT NULL,
    events       text[] NOT NULL,
    PRIMARY KEY (policy, subscription)
);

-- The applications by the team whose policy covers them now; null when none of them has one.
CREATE FUNCTION owners_of(carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_object_agg(team, applications)
    FROM (SELECT p.team, jsonb_agg(a.application ORDER BY a.application) AS applications
          FROM policy_applications a
          CROSS JOIN LATERAL (SELECT team FROM policies WHERE name = a.policy ORDER BY version DESC LIMIT 1) p
          WHERE a.application = ANY (carried)
          GROUP BY p.team) owned
$$;
