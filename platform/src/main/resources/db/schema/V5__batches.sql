-- The work on the hosts of a batch.

-- What teams run around the work on the hosts of a batch, as policies said once its hosts were cordoned: later ones do not
-- change which post hooks belong to which pre hooks.
CREATE TABLE batch_hooks (
    grant_id        text NOT NULL REFERENCES grants,
    number          int NOT NULL,
    name            text NOT NULL,
    stage           text NOT NULL CHECK (stage IN ('BeforeUndeploy', 'AfterUndeploy', 'BeforeDeploy', 'AfterDeploy')),
    scope           text NOT NULL CHECK (scope IN ('Instance', 'Host', 'Batch')),
    -- An instance, a host or, of the scope Batch, the grant.
    target          text NOT NULL,
    hosts           text[] NOT NULL,
    -- What of the policy's applications ran there.
    instances       text[] NOT NULL,
    -- Pre hooks run from the lowest to the highest, post hooks the other way round.
    ordinal         int NOT NULL,
    policy          text NOT NULL,
    policy_version  int NOT NULL,
    team            text NOT NULL,
    params          jsonb NOT NULL,
    timeout_seconds int NOT NULL,
    -- Of a post hook: whose state it is given, and whose effect it takes back.
    pre             int,
    -- What a pre hook handed over last.
    state           text,
    PRIMARY KEY (grant_id, number),
    FOREIGN KEY (grant_id, pre) REFERENCES batch_hooks
);

-- The job board. The row is the truth: result, event and wake-up are written in one transaction.
CREATE TABLE jobs (
    id           text PRIMARY KEY,
    grant_id     text NOT NULL REFERENCES grants,
    step         text NOT NULL,
    host         text NOT NULL REFERENCES hosts,
    round        int NOT NULL,
    run          int NOT NULL,
    topic        text NOT NULL,
    state        text NOT NULL,
    attempt      int NOT NULL DEFAULT 0,
    spec         jsonb NOT NULL,
    result       jsonb,
    consumer     text,
    claim        text,
    -- Mark taken at the claim: what the consumer observed under a later mark, it observed while it had the job.
    claim_mark   bigint,
    lease_until  timestamptz,
    deadline     timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at     timestamptz,
    UNIQUE (grant_id, step, host, round),
    -- What consumers tell while they drain: how much is left, of what, and when it was last less than ever before. The first report
    -- and the least tell a slow drain from one that is stuck.
    left_first   bigint,
    left_least   bigint,
    left_now     bigint,
    left_what    text,
    left_fell_at timestamptz,
    -- A Hook or an Unhook is one of its batch; asked again, it is not given out before its time.
    hook         int,
    not_before   timestamptz,
    FOREIGN KEY (grant_id, hook) REFERENCES batch_hooks,
    CHECK ((hook IS NOT NULL) = (step IN ('Hook', 'Unhook'))),
    -- Whether a remediation published it. Whoever ends such a job wakes its workflow.
    repairs      boolean NOT NULL DEFAULT false
);
CREATE INDEX jobs_claimable ON jobs (topic, created_at) WHERE state = 'Pending';
CREATE INDEX jobs_claimed ON jobs (lease_until) WHERE state = 'Claimed';
CREATE INDEX jobs_of_hooks ON jobs (grant_id, hook) WHERE hook IS NOT NULL;

-- Whether anybody takes the jobs of a topic is asked in each pass of the grantor.
CREATE INDEX jobs_unclaimed ON jobs (topic, created_at) WHERE state = 'Pending' AND attempt = 0;

-- Wake-ups of workflows, delivered by a relay until answered. A lost one costs time, never truth.
CREATE TABLE wakeups (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow     text NOT NULL,
    cause        text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    delivered_at timestamptz,
    -- A wake-up that can wait for a moment is delivered together with those that come within it.
    due_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX wakeups_open ON wakeups (id) WHERE delivered_at IS NULL;
CREATE INDEX wakeups_delivered ON wakeups (delivered_at) WHERE delivered_at IS NOT NULL;

-- When somebody looked after the job board last: the time of jobs counts only while there is one.
CREATE TABLE board_looks (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Ages are taken by the clock of the database. When that was set back, or a server took over whose clock is behind,
-- whatever was told before looks younger than it is, for as long as rows are kept. So "before" is told by marks.
CREATE TABLE clock_set_backs (
    -- Whatever was told under a lower one was told before it was noticed.
    mark       bigint PRIMARY KEY DEFAULT nextval('marks_mark_seq'),
    event      bigint NOT NULL DEFAULT last_event(),
    -- How far the clock was seen to be, and was.
    seen       timestamptz NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What is tried on a host on which a step failed after its update began, before it is quarantined. A step is remediated once
-- on a host under a grant.
CREATE TABLE remediations (
    grant_id   text NOT NULL REFERENCES grants,
    host       text NOT NULL REFERENCES hosts,
    -- The step that failed, and why.
    step       text NOT NULL,
    reason     text NOT NULL,
    -- What may be tried, by the policies when it began.
    ladder     text[] NOT NULL,
    began_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Open -> Resumed (the step has ended well), Exhausted (nothing helped) or Left (its host was taken out of the batch).
    state      text NOT NULL DEFAULT 'Open' CHECK (state IN ('Open', 'Resumed', 'Exhausted', 'Left')),
    says       text NOT NULL DEFAULT '',
    ended_at   timestamptz,
    PRIMARY KEY (grant_id, host, step),
    -- What a host was found to have when its remediation ended; unknown where no signature fits, empty where nobody found out.
    signature  text NOT NULL DEFAULT '',
    -- What people approve before it is tried on a host, by the policies when its remediation began.
    approve    text[] NOT NULL DEFAULT '{}',
    -- Whether a remediation ended by taking its host back to the release before: the host serves, and its upgrade failed.
    went_back  boolean NOT NULL DEFAULT false,
    -- What a remediation may try although nobody recognises what its host has.
    on_unknown text[] NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX remediations_open ON remediations (grant_id, host) WHERE state = 'Open';
CREATE INDEX remediations_by_host ON remediations (host);

-- What was done, in order; how it ended is said by the job.
CREATE TABLE remediation_steps (
    grant_id text NOT NULL,
    host     text NOT NULL,
    step     text NOT NULL,
    number   int NOT NULL,
    action   text NOT NULL,
    -- The place on the ladder of what it is the first action of.
    rung     int,
    job      text NOT NULL UNIQUE REFERENCES jobs,
    PRIMARY KEY (grant_id, host, step, number),
    FOREIGN KEY (grant_id, host, step) REFERENCES remediations
);

-- Phases of hosts that take longer than policies allow or than they usually do, as the watchdog found them. A row is open
-- while the phase lasts; one that is found again after it went on is told again.
CREATE TABLE overdue_phases (
    grant_id text NOT NULL REFERENCES grants,
    host     text NOT NULL REFERENCES hosts,
    -- The step that does not end, or ended and was not followed by another.
    phase    text NOT NULL,
    -- The job that does not end; null when nothing is on the board.
    job      text,
    cause    text NOT NULL CHECK (cause IN ('Unclaimed', 'Silent', 'Working', 'NotLed')),
    began_at timestamptz NOT NULL,
    -- What people read: how long, what is allowed or usual, who is waited for, and who waits because of it.
    says     text NOT NULL,
    -- Pending hosts that cannot begin while it holds budget of their applications, when it was last looked at.
    cost     int NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    over_at  timestamptz,
    PRIMARY KEY (grant_id, host, phase)
);
CREATE INDEX overdue_phases_open ON overdue_phases (grant_id) WHERE over_at IS NULL;
CREATE INDEX overdue_phases_by_host ON overdue_phases (host, at);

-- What is to be decided about hosts of a batch: hosts failed, were not drained in time, or are to be repaired by something that
-- people approve. Decided at once where policies say so, else by people; which of an answer, the expiry and an abort was first is
-- decided by the lock of the grant.
CREATE TABLE decisions (
    id             text PRIMARY KEY,
    grant_id       text NOT NULL REFERENCES grants,
    number         int NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('BlockedBatch', 'LateDrain', 'RepairApproval')),
    step           text NOT NULL,
    -- What ended badly; another round of it is another row.
    jobs           text[] NOT NULL,
    hosts          text[] NOT NULL,
    -- Why, by host.
    reasons        jsonb NOT NULL,
    says           text NOT NULL,
    -- What its kind alone has, by name.
    facts          jsonb NOT NULL DEFAULT '{}',
    -- Whether the batch was on its way back.
    goes_back      boolean NOT NULL DEFAULT false,
    asked          boolean NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    remind_seconds int,
    remind_at      timestamptz,
    expires_at     timestamptz,
    -- What a first person asked for, or policies, until a second person approves it.
    proposed       text,
    proposed_by    text,
    answer         text CHECK (answer IN ('Retry', 'GoOn', 'Abort', 'Wait', 'Requeue', 'Force', 'Quarantine', 'Revert',
                                            'Approve', 'Refuse')),
    answered_by    text,
    answer_reason  text NOT NULL DEFAULT '',
    answered_at    timestamptz,
    -- The last round of the open check then: a batch that goes on needs a later one.
    open_round     int,
    UNIQUE (grant_id, number),
    CHECK ((answer IS NULL) = (answered_by IS NULL) AND (answer IS NULL) = (answered_at IS NULL)),
    CHECK ((remind_at IS NULL) = (expires_at IS NULL) AND (remind_at IS NULL) = (remind_seconds IS NULL))
);
CREATE INDEX decisions_open ON decisions (grant_id) WHERE answer IS NULL;
CREATE INDEX decisions_hosts ON decisions USING gin (hosts);

-- A result with a read of its host counts as an observation, unless the board objected to it.
CREATE FUNCTION observe_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO observed_reports (source, mark, issued_at, job, instances, oldest_at)
    SELECT m.source, m.mark, m.issued_at, NEW.id, array_agg(x.id) FILTER (WHERE x.id IS NOT NULL),
           LEAST(min(to_timestamp(x."observedAt" / 1000.0)), m.issued_at)
    FROM marks m
    LEFT JOIN jsonb_to_recordset(COALESCE(NEW.result->'instances', '[]')) AS x(id text, "observedAt" bigint) ON true
    WHERE m.mark = CAST(NEW.result->>'mark' AS bigint)
    GROUP BY m.source, m.mark, m.issued_at
    HAVING count(x.id) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER observe_read AFTER UPDATE OF result ON jobs FOR EACH ROW
    WHEN (OLD.result IS NULL AND NEW.result ? 'mark' AND NOT NEW.result ? 'objection')
    EXECUTE FUNCTION observe_read();

-- Only what was told under this mark or a later one has a known age; nothing has, while the clock is not as far as
-- the board has seen it to be.
CREATE FUNCTION ages_known_from() RETURNS bigint LANGUAGE sql VOLATILE AS
$$
  SELECT CASE WHEN at > clock_timestamp() + interval '1 s' THEN 9223372036854775807
              ELSE COALESCE((SELECT max(mark) FROM clock_set_backs), 0) END
  FROM board_looks
$$;

INSERT INTO board_looks DEFAULT VALUES;
