-- Hosts of submissions that were refused as a whole, with the reason of each, for those who ask later. Kept for 30 days,
-- and of each host only the newest few: who submits again and again fills nothing.
CREATE TABLE refused_hosts (
    host      text        NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    requester text        NOT NULL,
    release   text        NOT NULL,
    reason    text        NOT NULL
);
CREATE INDEX refused_hosts_by_host ON refused_hosts (host, at);
CREATE INDEX refused_hosts_by_time ON refused_hosts (at);
