-- What was asked and what happened. Who may touch what is in etcd; what happens next is in Temporal.

-- Marks order observations and effects without clocks: a reporter fetches one before it starts reading.
CREATE TABLE marks (
    mark      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source    text        NOT NULL,
    issued_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE sources (
    source    text PRIMARY KEY,
    last_mark bigint NOT NULL REFERENCES marks
);

CREATE TABLE hosts (
    name           text PRIMARY KEY,
    address        text        NOT NULL,
    scheduler      text        NOT NULL,
    hardware_class text        NOT NULL,
    labels         jsonb       NOT NULL DEFAULT '{}',
    source         text        NOT NULL,
    observed_at    timestamptz NOT NULL,
    vanished_at    timestamptz,
    -- Mark of the last effect Drydock had on the host: only observations at or after it count.
    effect_mark    bigint      NOT NULL DEFAULT 0,
    release        text
);

CREATE TABLE instances (
    id          text PRIMARY KEY,
    application text        NOT NULL,
    host        text        NOT NULL REFERENCES hosts,
    zone        text        NOT NULL,
    health      text        NOT NULL,
    detail      text        NOT NULL DEFAULT '',
    source      text        NOT NULL,
    mark        bigint      NOT NULL,
    -- The older of the reporter's time and the time its mark was issued.
    observed_at timestamptz NOT NULL,
    vanished_at timestamptz
);
CREATE INDEX instances_by_host ON instances (host);
CREATE INDEX instances_by_application ON instances (application);

CREATE TABLE releases (
    name       text PRIMARY KEY,
    spec       jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text        NOT NULL
);

CREATE TABLE policies (
    name       text        NOT NULL,
    version    int         NOT NULL,
    team       text        NOT NULL,
    yaml       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text        NOT NULL,
    PRIMARY KEY (name, version)
);

-- Which policy is in force for an application: always the newest version of exactly one policy.
CREATE TABLE policy_applications (
    application text PRIMARY KEY,
    policy      text NOT NULL
);

CREATE TABLE rollouts (
    id         text PRIMARY KEY,
    number     bigint GENERATED ALWAYS AS IDENTITY,
    request_id text UNIQUE,
    release    text        NOT NULL REFERENCES releases,
    mode       text        NOT NULL,
    state      text        NOT NULL,
    reason     text        NOT NULL,
    requester  text        NOT NULL,
    team       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at   timestamptz
);

-- A grant is one admission of one batch. Columns carry what fences its effects: beat, epoch, hold and run.
CREATE SEQUENCE grant_numbers;
CREATE SEQUENCE beats;
CREATE TABLE grants (
    id            text PRIMARY KEY,
    rollout       text        NOT NULL REFERENCES rollouts,
    hosts         text[]      NOT NULL,
    -- proposed -> granted -> ended; a proposed row undone by the sweeper is void.
    state         text        NOT NULL CHECK (state IN ('proposed', 'granted', 'ended', 'void')),
    -- provisional -> confirmed -> open: how far the checks came.
    stage         text        NOT NULL DEFAULT 'provisional' CHECK (stage IN ('provisional', 'confirmed', 'open')),
    epoch         bigint      NOT NULL,
    beat          bigint      NOT NULL,
    -- Create revision of the lock records in etcd; null until the grant is known to be committed.
    hold_revision bigint,
    -- Number of the workflow run that may publish, claim and end; each run takes the next.
    run           int         NOT NULL DEFAULT 0,
    -- Temporal's id of the workflow execution that holds that run number, so that asking twice is asking once.
    run_key       text,
    abort         boolean     NOT NULL DEFAULT false,
    -- Set before the first undo step: the end state the batch goes back to, and why. It never goes forward again.
    undo          text        CHECK (undo IN ('Held', 'Reverted')),
    undo_reason   text,
    -- The verdict with the numbers it rests on.
    evidence      jsonb       NOT NULL,
    -- When the open check that said Grant was asked for: the fleet was read after it, so its age is never understated.
    opened_at     timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at      timestamptz,
    -- Upgraded, Skipped, Reverted, Held (back to Pending) or Quarantined; written before the hold is ended.
    end_state     text,
    -- When etcd was known to carry no hold of it any more, but for quarantines.
    hold_ended_at timestamptz
);
CREATE INDEX grants_alive ON grants (state) WHERE state IN ('proposed', 'granted');

CREATE TABLE host_upgrades (
    rollout     text NOT NULL REFERENCES rollouts,
    host        text NOT NULL REFERENCES hosts,
    position    int  NOT NULL,
    state       text NOT NULL,
    step        text,
    grant_id    text REFERENCES grants,
    reason      text NOT NULL DEFAULT '',
    -- A held host is not proposed again before this time.
    not_before  timestamptz,
    facts       jsonb NOT NULL DEFAULT '{}',
    started_at  timestamptz,
    ended_at    timestamptz,
    PRIMARY KEY (rollout, host)
);
CREATE INDEX host_upgrades_pending ON host_upgrades (state) WHERE state = 'Pending';
CREATE INDEX host_upgrades_by_grant ON host_upgrades (grant_id);

-- A check is a verdict of the grantor over a granted batch, asked for by its workflow.
CREATE TABLE checks (
    grant_id   text NOT NULL REFERENCES grants,
    kind       text NOT NULL CHECK (kind IN ('confirm', 'open')),
    round      int  NOT NULL,
    run        int  NOT NULL,
    -- requested -> Grant | Hold
    state      text NOT NULL CHECK (state IN ('requested', 'Grant', 'Hold')),
    evidence   jsonb,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_at timestamptz,
    PRIMARY KEY (grant_id, kind, round)
);
CREATE INDEX checks_requested ON checks (created_at) WHERE state = 'requested';

-- The job board. The row is the truth: result, event and wake-up are written in one transaction.
CREATE TABLE jobs (
    id          text PRIMARY KEY,
    grant_id    text        NOT NULL REFERENCES grants,
    step        text        NOT NULL,
    host        text        NOT NULL REFERENCES hosts,
    round       int         NOT NULL,
    run         int         NOT NULL,
    topic       text        NOT NULL,
    state       text        NOT NULL,
    attempt     int         NOT NULL DEFAULT 0,
    spec        jsonb       NOT NULL,
    result      jsonb,
    consumer    text,
    claim       text,
    -- Mark taken at the claim: what the consumer observed under a later mark, it observed while it had the job.
    claim_mark  bigint,
    lease_until timestamptz,
    deadline    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at    timestamptz,
    UNIQUE (grant_id, step, host, round)
);
CREATE INDEX jobs_claimable ON jobs (topic, created_at) WHERE state = 'Pending';
CREATE INDEX jobs_claimed ON jobs (lease_until) WHERE state = 'Claimed';

-- Wake-ups of workflows, delivered by a relay until answered. A lost one costs time, never truth.
CREATE TABLE wakeups (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow     text        NOT NULL,
    cause        text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    delivered_at timestamptz
);
CREATE INDEX wakeups_open ON wakeups (id) WHERE delivered_at IS NULL;

CREATE TABLE events (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid     xid8        NOT NULL DEFAULT pg_current_xact_id(),
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind    text        NOT NULL,
    rollout text,
    host    text,
    data    jsonb       NOT NULL DEFAULT '{}'
);

CREATE TABLE audit (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    principal text        NOT NULL,
    team      text        NOT NULL,
    role      text        NOT NULL,
    action    text        NOT NULL,
    object    text        NOT NULL,
    detail    jsonb       NOT NULL DEFAULT '{}'
);
