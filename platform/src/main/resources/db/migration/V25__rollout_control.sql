-- People schedule, pause, resume and abort rollouts, and take up again what one left behind.
ALTER TABLE rollouts
    ADD COLUMN start_at       timestamptz,
    ADD COLUMN change_ticket  text NOT NULL DEFAULT '',
    -- Who asked for the state it is in, and why; empty when it came about by itself.
    ADD COLUMN state_by       text NOT NULL DEFAULT '',
    ADD COLUMN state_reason   text NOT NULL DEFAULT '',
    ADD COLUMN origin         text CHECK (origin IN ('Retry', 'Revert')),
    ADD COLUMN origin_rollout text REFERENCES rollouts,
    ADD CHECK (state IN ('Scheduled', 'Running', 'Paused', 'Aborting', 'Succeeded', 'Degraded', 'Aborted')),
    ADD CHECK ((origin IS NULL) = (origin_rollout IS NULL));
CREATE INDEX rollouts_open ON rollouts (number) WHERE ended_at IS NULL;

-- What a batch goes back to when its rollout is aborted.
ALTER TABLE grants
    DROP CONSTRAINT grants_undo_check,
    ADD CHECK (undo IN ('Held', 'Reverted', 'Cancelled'));

-- What the inventory said before the first grant: where a revert goes.
ALTER TABLE host_upgrades ADD COLUMN release_before text;

CREATE OR REPLACE FUNCTION tell_rollout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (kind, rollout, data)
    VALUES (CASE WHEN NEW.ended_at IS NULL THEN 'RolloutChanged' ELSE 'RolloutEnded' END,
            NEW.id, jsonb_build_object('state', NEW.state, 'by', NEW.state_by, 'reason', NEW.state_reason));
    RETURN NULL;
END $$;

-- Whether a rollout has hosts to come is asked with every host that ends.
CREATE INDEX host_upgrades_open ON host_upgrades (rollout) WHERE state IN ('Pending', 'InProgress');
