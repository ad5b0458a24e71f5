-- Why a host is to be quarantined, once that was decided: its lock in etcd may be a quarantine before the host leaves its batch.
ALTER TABLE host_upgrades ADD COLUMN condemned text;
-- What a remediation may try although nobody recognises what its host has.
ALTER TABLE remediations ADD COLUMN on_unknown text[] NOT NULL DEFAULT '{}';
-- Whether anybody takes the jobs of a topic is asked in each pass of the grantor.
CREATE INDEX jobs_unclaimed ON jobs (topic, created_at) WHERE state = 'Pending' AND attempt = 0;
