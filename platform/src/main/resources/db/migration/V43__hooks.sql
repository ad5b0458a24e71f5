-- What teams run around the work on the hosts of a batch, as policies said once its placement was frozen: later ones do not
-- change which post hooks belong to which pre hooks.
CREATE TABLE batch_hooks (
    grant_id        text   NOT NULL REFERENCES grants,
    number          int    NOT NULL,
    name            text   NOT NULL,
    stage           text   NOT NULL CHECK (stage IN ('BeforeUndeploy', 'AfterUndeploy', 'BeforeDeploy', 'AfterDeploy')),
    scope           text   NOT NULL CHECK (scope IN ('Instance', 'Host', 'Batch')),
    -- An instance, a host or, of the scope Batch, the grant.
    target          text   NOT NULL,
    hosts           text[] NOT NULL,
    -- What of the policy's applications ran there.
    instances       text[] NOT NULL,
    -- Pre hooks run from the lowest to the highest, post hooks the other way round.
    ordinal         int    NOT NULL,
    policy          text   NOT NULL,
    policy_version  int    NOT NULL,
    team            text   NOT NULL,
    params          jsonb  NOT NULL,
    timeout_seconds int    NOT NULL,
    -- Of a post hook: whose state it is given, and whose effect it takes back.
    pre             int,
    -- What a pre hook handed over last.
    state           text,
    PRIMARY KEY (grant_id, number),
    FOREIGN KEY (grant_id, pre) REFERENCES batch_hooks
);

-- Whether the batch has any; null until that was asked.
ALTER TABLE grants ADD COLUMN hooked boolean;
-- Batches under way go on without: some of them are drained already.
UPDATE grants SET hooked = false WHERE state = 'granted';

-- A Hook or an Unhook is one of its batch; asked again, it is not given out before its time.
ALTER TABLE jobs
    ADD COLUMN hook       int,
    ADD COLUMN not_before timestamptz,
    ADD FOREIGN KEY (grant_id, hook) REFERENCES batch_hooks,
    ADD CHECK ((hook IS NOT NULL) = (step IN ('Hook', 'Unhook')));
CREATE INDEX jobs_of_hooks ON jobs (grant_id, hook) WHERE hook IS NOT NULL;
