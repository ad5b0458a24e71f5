-- What teams want to be told of the event feed, and how far each of these readers has come.
CREATE TABLE subscriptions (
    team         text        NOT NULL,
    name         text        NOT NULL,
    -- Words of NotificationEvent, applications and rollouts; each empty for all.
    events       text[]      NOT NULL,
    applications text[]      NOT NULL,
    rollouts     text[]      NOT NULL,
    -- The number of the last event its reader has done with. It goes back only by a replay.
    acknowledged bigint      NOT NULL,
    -- Events of the team's hosts that were forgotten before they were acknowledged: how many, up to which, and when they were.
    lost         bigint      NOT NULL DEFAULT 0,
    lost_upto    bigint      NOT NULL DEFAULT 0,
    lost_from    timestamptz,
    lost_to      timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by   text        NOT NULL,
    PRIMARY KEY (team, name)
);
