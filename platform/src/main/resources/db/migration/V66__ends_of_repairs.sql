-- Whether a remediation ended by taking its host back to the release before: the host serves, and its upgrade failed.
ALTER TABLE remediations ADD COLUMN went_back boolean NOT NULL DEFAULT false;

-- A question nobody answers is refused at last; until then people are reminded of it.
ALTER TABLE repair_approvals
    ADD COLUMN remind_at  timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 hour',
    ADD COLUMN expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours';
ALTER TABLE repair_approvals ALTER COLUMN remind_at DROP DEFAULT, ALTER COLUMN expires_at DROP DEFAULT;
