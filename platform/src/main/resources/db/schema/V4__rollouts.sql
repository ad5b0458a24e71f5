-- Rollouts, the grants of their batches, and why hosts wait. Who may touch what is in etcd; what happens next is in Temporal.

CREATE SEQUENCE grant_numbers;

CREATE TABLE releases (
    name       text PRIMARY KEY,
    spec       jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL
);

CREATE TABLE rollouts (
    id             text PRIMARY KEY,
    number         bigint GENERATED ALWAYS AS IDENTITY,
    request_id     text UNIQUE,
    release        text NOT NULL REFERENCES releases,
    mode           text NOT NULL,
    state          text NOT NULL CHECK (state IN ('Scheduled', 'Running', 'Paused', 'Aborting', 'Succeeded', 'Degraded', 'Aborted')),
    reason         text NOT NULL,
    requester      text NOT NULL,
    team           text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at       timestamptz,
    -- The higher goes first among those that have no place in the queue yet.
    priority       text NOT NULL DEFAULT 'Normal' CHECK (priority IN ('Low', 'Normal', 'High')),
    start_at       timestamptz,
    change_ticket  text NOT NULL DEFAULT '',
    -- Who asked for the state it is in, and why; empty when it came about by itself.
    state_by       text NOT NULL DEFAULT '',
    state_reason   text NOT NULL DEFAULT '',
    origin         text CHECK (origin IN ('Retry', 'Revert')),
    origin_rollout text REFERENCES rollouts,
    CHECK ((origin IS NULL) = (origin_rollout IS NULL)),
    -- What its hosts carried when the rollout was submitted.
    applications   text[] NOT NULL DEFAULT '{}',
    -- Failures before people looked and let the rollout go on are not counted again.
    counted_from   timestamptz NOT NULL DEFAULT '-infinity',
    -- The labels its hosts were selected by when it was submitted; empty where they were named.
    selector       text NOT NULL DEFAULT ''
);

-- What is looked for in every round must not cost more with every rollout and grant that ever ended.
CREATE INDEX rollouts_running ON rollouts (number) WHERE state = 'Running';
CREATE INDEX rollouts_open ON rollouts (number) WHERE ended_at IS NULL;

-- A grant is one admission of one batch. Columns carry what fences its effects: beat, epoch, hold and run.
CREATE TABLE grants (
    id                 text PRIMARY KEY,
    rollout            text NOT NULL REFERENCES rollouts,
    hosts              text[] NOT NULL,
    -- proposed -> granted -> ended; a proposed row undone by the sweeper is void.
    state              text NOT NULL CHECK (state IN ('proposed', 'granted', 'ended', 'void')),
    -- provisional -> confirmed -> open: how far the checks came.
    stage              text NOT NULL DEFAULT 'provisional' CHECK (stage IN ('provisional', 'confirmed', 'open')),
    epoch              bigint NOT NULL,
    beat               bigint NOT NULL,
    -- Create revision of the lock records in etcd; null until the grant is known to be committed.
    hold_revision      bigint,
    -- Number of the workflow run that may publish, claim and end; each run takes the next.
    run                int NOT NULL DEFAULT 0,
    -- Temporal's id of the workflow execution that holds that run number, so that asking twice is asking once.
    run_key            text,
    abort              boolean NOT NULL DEFAULT false,
    -- Set before the first undo step: the end state the batch goes back to, and why. It never goes forward again.
    undo               text CHECK (undo IN ('Requeued', 'Reverted', 'Cancelled')),
    undo_reason        text,
    -- The verdict with the numbers it rests on.
    evidence           jsonb NOT NULL,
    -- When the open check that said Grant was asked for: the fleet was read after it, so its age is never understated.
    opened_at          timestamptz,
    created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at           timestamptz,
    -- Upgraded, Skipped, Reverted, Cancelled, Requeued (back to Pending) or Quarantined; written before the hold is ended.
    end_state          text,
    -- When etcd was known to carry no hold of it any more, but for quarantines.
    hold_ended_at      timestamptz,
    -- Its age: the etcd revision, and the index in it, at which its first turn was accepted. A batch that is
    -- turned back keeps it, and so stands before everything accepted since.
    seniority_revision bigint,
    seniority_index    int,
    -- The earliest end of the approvals the open check rests on; null when it rests on none.
    open_until         timestamptz,
    -- Whether the batch has any; null until that was asked.
    hooked             boolean,
    -- What policies said, when the batch began, that it does when one of its hosts fails; null: all go back.
    on_host_failure    text CHECK (on_host_failure IN ('Ask', 'GoOn', 'Abort')),
    -- Why the batch is reclaimed: its workflow was lost after it had begun, so that nobody leads it forward any more.
    reclaim            text,
    -- What its rows say is older than what was done: its hosts are believed only after they were read.
    blind              boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);
CREATE INDEX grants_alive ON grants (state) WHERE state IN ('proposed', 'granted');
CREATE INDEX grants_hosts ON grants USING gin (hosts);
CREATE INDEX grants_ended_with_hold ON grants (created_at) WHERE state = 'ended' AND hold_ended_at IS NULL;
CREATE INDEX grants_beat ON grants (beat);

CREATE TABLE host_upgrades (
    rollout            text NOT NULL REFERENCES rollouts,
    host               text NOT NULL REFERENCES hosts,
    position           int NOT NULL,
    state              text NOT NULL,
    step               text,
    grant_id           text REFERENCES grants,
    reason             text NOT NULL DEFAULT '',
    -- A host that was given back is not proposed again before this time.
    not_before         timestamptz,
    facts              jsonb NOT NULL DEFAULT '{}',
    started_at         timestamptz,
    ended_at           timestamptz,
    PRIMARY KEY (rollout, host),
    seniority_revision bigint,
    seniority_index    int,
    -- Hosts of a rollout that are taken together or not at all have one number; batches are taken in their order.
    batch              int NOT NULL,
    -- Policies of the gates a host still waits for; a host that waits for none may go.
    waits_for          text[] NOT NULL DEFAULT '{}',
    -- What the inventory said before the first grant: where a revert goes.
    release_before     text,
    -- What the host carried when it was granted last: schedulers move instances away before the host goes down.
    applications       text[] NOT NULL DEFAULT '{}',
    -- Something may have been done to the host that no row tells of: it is read before anything else.
    read_first         boolean NOT NULL DEFAULT false,
    -- The release a host was taken back to amid its upgrade, as nothing else helped; what is done to it from then on is about that one.
    back_to            text REFERENCES releases (name),
    -- How often a host was given back in its rollout: its back-off doubles each time. Counted here, as there is no end of grants to count.
    requeued_times     int NOT NULL DEFAULT 0,
    -- Why a host is to be quarantined, once that was decided: its lock in etcd may be a quarantine before the host leaves its batch.
    condemned          text,
    -- Until when it may be granted by what its last preflight found; null when it did not pass, or was not asked.
    ready_until        timestamptz,
    -- From when on it may be asked again; null: at once.
    ask_at             timestamptz,
    -- How often it did not pass since it passed last: the back-off doubles each time.
    asked_in_vain      int NOT NULL DEFAULT 0,
    -- The rollout that brought a host further than its own rollout would, as it was when the host was
    -- granted: such a host is left as it is, and ends Skipped.
    superseded_by      text
) WITH (fillfactor = 60);
CREATE INDEX host_upgrades_by_grant ON host_upgrades (grant_id);

-- A host shows how far the upgrade under way on it is: one lookup per host of a page, among the few under way.
CREATE INDEX host_upgrades_under_way ON host_upgrades (host) WHERE state = 'InProgress';

-- Batches are looked up by their number when one is proposed, and when they are made anew.
CREATE INDEX host_upgrades_batch ON host_upgrades (rollout, batch);

-- The grantor looks at the first batches of each running rollout and at those that follow its last look, never at all that
-- wait: batches that may be free, by number, and apart from them the few that were granted before and have an age.
CREATE INDEX host_upgrades_free ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NULL;
CREATE INDEX host_upgrades_aged ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NOT NULL;
CREATE INDEX host_upgrades_in_flight ON host_upgrades (rollout) WHERE state = 'InProgress';

-- The newest upgrades of a rollout tell how long phases usually take.
CREATE INDEX host_upgrades_upgraded ON host_upgrades (rollout, ended_at) WHERE state = 'Upgraded';
CREATE INDEX host_upgrades_open ON host_upgrades (rollout, batch) WHERE state IN ('Pending', 'InProgress');

-- As host_upgrades_free, of those that the grantor may take: it must not look through all that wait to be asked.
CREATE INDEX host_upgrades_ready ON host_upgrades (rollout, batch)
    WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}' AND seniority_revision IS NULL
      AND ready_until IS NOT NULL;
CREATE INDEX host_upgrades_ready_until ON host_upgrades (ready_until)
    WHERE ready_until IS NOT NULL AND state = 'Pending' AND grant_id IS NULL;

CREATE TABLE host_facts (
    rollout  text NOT NULL,
    host     text NOT NULL,
    moment   text NOT NULL CHECK (moment IN ('before', 'after')),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- osFamily, osRelease and kernel, as far as they were told.
    facts    jsonb NOT NULL,
    packages bytea REFERENCES package_lists,
    -- What is wrong with the facts; a report counts only hosts whose facts have no fault.
    fault    text NOT NULL DEFAULT '',
    PRIMARY KEY (rollout, host, moment),
    FOREIGN KEY (rollout, host) REFERENCES host_upgrades
);

-- A check is a verdict of the grantor over a granted batch, asked for by its workflow.
CREATE TABLE checks (
    grant_id      text NOT NULL REFERENCES grants,
    kind          text NOT NULL CHECK (kind IN ('confirm', 'open')),
    round         int NOT NULL,
    run           int NOT NULL,
    -- requested -> Grant | Wait
    state         text NOT NULL CHECK (state IN ('requested', 'Grant', 'Wait')),
    evidence      jsonb,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_at    timestamptz,
    PRIMARY KEY (grant_id, kind, round),
    valid_until   timestamptz,
    -- The last mark when it was asked for.
    asked_mark    bigint DEFAULT last_mark(),
    -- When it was decided, not asked for.
    decided_event bigint
);
CREATE INDEX checks_requested ON checks (created_at) WHERE state = 'requested';

-- Why rollouts waited for hosts, for those who ask later: the reason on a host's upgrade is only the latest. Written by the
-- trigger alone. Numbers in a reason change with every decision: another row only when its words do, or after five minutes.
CREATE TABLE waiting_reasons (
    host    text NOT NULL,
    rollout text NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason  text NOT NULL
);
CREATE INDEX waiting_reasons_by_host ON waiting_reasons (host, at);
CREATE INDEX waiting_reasons_by_time ON waiting_reasons (at);

-- Hosts of submissions that were refused as a whole, with the reason of each, for those who ask later. Kept for 30 days,
-- and of each host only the newest few: who submits again and again fills nothing.
CREATE TABLE refused_hosts (
    host      text NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    requester text NOT NULL,
    release   text NOT NULL,
    reason    text NOT NULL
);
CREATE INDEX refused_hosts_by_host ON refused_hosts (host, at);
CREATE INDEX refused_hosts_by_time ON refused_hosts (at);

-- Hosts of a rollout that go first for one policy. How far they are is seen from their upgrades; what is kept here is
-- what was asked, what those who wait were told last, and that they need not wait any more.
CREATE TABLE canary_gates (
    rollout      text NOT NULL REFERENCES rollouts,
    policy       text NOT NULL,
    -- Of the policy, when the rollout was submitted.
    version      int NOT NULL,
    applications text[] NOT NULL,
    -- In the order of the plan.
    hosts        text[] NOT NULL,
    soak_seconds int NOT NULL,
    says         text NOT NULL DEFAULT '',
    passed_at    timestamptz,
    PRIMARY KEY (rollout, policy)
);
CREATE INDEX canary_gates_closed ON canary_gates (rollout) WHERE passed_at IS NULL;

-- A cohort is the hosts of one hardware class that carry one application. What is halted stays so, until people resume the rollout.
CREATE TABLE cohort_halts (
    rollout        text NOT NULL REFERENCES rollouts,
    policy         text NOT NULL,
    hardware_class text NOT NULL,
    application    text NOT NULL,
    says           text NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (rollout, policy, hardware_class, application)
);

-- What the teams' controllers are asked, and what they answered: the jobs of kind Approve. They belong to no grant, so they
-- have a table of their own; the row is the truth here as well. At most one question of a topic is open at a time.
CREATE TABLE approvals (
    id          text PRIMARY KEY,
    topic       text NOT NULL,
    round       int NOT NULL,
    state       text NOT NULL CHECK (state IN ('Pending', 'Claimed', 'Done', 'Failed', 'Unknown', 'Expired')),
    attempt     int NOT NULL DEFAULT 0,
    spec        jsonb NOT NULL,
    result      jsonb,
    -- Why the last result that came in was not taken.
    refusal     text,
    consumer    text,
    claim       text,
    lease_until timestamptz,
    deadline    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at    timestamptz,
    -- Until when what was approved counts, and from when on the rest may be asked about again.
    expires_at  timestamptz,
    retry_at    timestamptz,
    UNIQUE (topic, round),
    asked_mark  bigint DEFAULT last_mark()
);
CREATE UNIQUE INDEX approvals_open ON approvals (topic) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX approvals_ended ON approvals (ended_at) WHERE ended_at IS NOT NULL;

-- Before a host is granted, its consumer is asked whether it could be updated now: the jobs of kind Preflight. They come before
-- the grant, so they have a table of their own; the row is the truth here as well. At most one of a host and rollout is open.
-- Of those that ended the last one of a host is kept, and the one before while a repeated result may still come in.
CREATE TABLE preflights (
    id          text PRIMARY KEY,
    rollout     text NOT NULL,
    host        text NOT NULL,
    round       int NOT NULL,
    topic       text NOT NULL,
    state       text NOT NULL CHECK (state IN ('Pending', 'Claimed', 'Done', 'Failed', 'Unknown', 'Expired', 'Cancelled')),
    attempt     int NOT NULL DEFAULT 0,
    spec        jsonb NOT NULL,
    result      jsonb,
    -- Of one that did not pass: what can mend it, and a word that hosts which fail alike have in common.
    mend        text CHECK (mend IN ('Time', 'People')),
    cause       text NOT NULL DEFAULT '',
    consumer    text,
    claim       text,
    lease_until timestamptz,
    -- From the first claim on: one that nobody claims does not end.
    deadline    timestamptz,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at    timestamptz,
    UNIQUE (rollout, host, round),
    FOREIGN KEY (rollout, host) REFERENCES host_upgrades
);
CREATE UNIQUE INDEX preflights_open ON preflights (rollout, host) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX preflights_open_of_topic ON preflights (topic) WHERE state IN ('Pending', 'Claimed');
CREATE INDEX preflights_ended_of_topic ON preflights (topic, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX preflights_ended_of_rollout ON preflights (rollout, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX preflights_refused ON preflights (host) WHERE mend = 'People';

-- State and step of a host upgrade and the state of a rollout are written in many places, and by people repairing by
-- hand; here nobody can forget the event. A new reason alone is none: a waiting host gets one with every decision.
CREATE FUNCTION tell_host_upgrade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (kind, rollout, host, data)
    VALUES ('HostUpgradeChanged', NEW.rollout, NEW.host, jsonb_strip_nulls(jsonb_build_object(
        'state', NEW.state, 'step', NEW.step, 'reason', NEW.reason, 'grant', NEW.grant_id)));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_host_upgrade AFTER UPDATE ON host_upgrades FOR EACH ROW
    WHEN ((OLD.state, OLD.step) IS DISTINCT FROM (NEW.state, NEW.step)) EXECUTE FUNCTION tell_host_upgrade();

CREATE FUNCTION tell_rollout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (kind, rollout, data)
    VALUES (CASE WHEN NEW.ended_at IS NULL THEN 'RolloutChanged' ELSE 'RolloutEnded' END,
            NEW.id, jsonb_build_object('state', NEW.state, 'by', NEW.state_by, 'reason', NEW.state_reason));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_rollout AFTER UPDATE ON rollouts FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tell_rollout();

-- A batch takes instances down once its open check was passed; one turned back before has taken none. Seen between its
-- grant and its opening, nobody has touched them: what was down then was down by itself.
CREATE FUNCTION batch_disrupts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_disruptions(NEW.hosts, NEW.id, ARRAY(
        SELECT id FROM instances
        WHERE host = ANY (NEW.hosts) AND health = 'Unhealthy' AND observed_at > NEW.created_at));
    RETURN NULL;
END $$;
CREATE TRIGGER batch_disrupts AFTER UPDATE OF opened_at ON grants FOR EACH ROW
    WHEN (NEW.opened_at IS DISTINCT FROM OLD.opened_at AND NEW.opened_at IS NOT NULL) EXECUTE FUNCTION batch_disrupts();

CREATE FUNCTION words_of(reason text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(reason, '[0-9]+', '0', 'g')
$$;

-- Rows are kept for 30 days.
CREATE FUNCTION note_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT at, reason FROM waiting_reasons
                     WHERE host = NEW.host AND rollout = NEW.rollout ORDER BY at DESC LIMIT 1) newest
        WHERE words_of(reason) = words_of(NEW.reason) AND at > clock_timestamp() - interval '5 minutes')
    THEN
        RETURN NULL;
    END IF;
    DELETE FROM waiting_reasons WHERE ctid IN (
        SELECT ctid FROM waiting_reasons WHERE at < clock_timestamp() - interval '30 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
    INSERT INTO waiting_reasons (host, rollout, reason) VALUES (NEW.host, NEW.rollout, NEW.reason);
    RETURN NULL;
END $$;
CREATE TRIGGER note_reason AFTER UPDATE OF reason ON host_upgrades FOR EACH ROW
    WHEN (NEW.state = 'Pending' AND NEW.grant_id IS NULL AND NEW.reason <> '' AND NEW.reason <> OLD.reason)
    EXECUTE FUNCTION note_reason();

CREATE FUNCTION applications_on(wanted text) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT DISTINCT application FROM instances WHERE host = wanted AND vanished_at IS NULL)
$$;

CREATE FUNCTION note_carried() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.applications := applications_on(NEW.host);
    RETURN NEW;
END $$;
CREATE TRIGGER note_carried BEFORE UPDATE OF grant_id ON host_upgrades FOR EACH ROW
    WHEN (NEW.grant_id IS NOT NULL AND NEW.grant_id IS DISTINCT FROM OLD.grant_id) EXECUTE FUNCTION note_carried();

-- Whether a rollout takes hosts back to an older release: a revert, or the retry of one.
CREATE FUNCTION goes_back(of_rollout text) RETURNS boolean LANGUAGE sql STABLE AS $$
    WITH RECURSIVE line(origin, rollout) AS (
        SELECT origin, origin_rollout FROM rollouts WHERE id = of_rollout
        UNION ALL
        SELECT e.origin, e.origin_rollout
        FROM line JOIN rollouts e ON e.id = line.rollout WHERE line.origin = 'Retry')
    SELECT EXISTS (SELECT FROM line WHERE origin = 'Revert')
$$;

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
