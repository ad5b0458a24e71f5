-- The age of a batch: the etcd revision, and the index in it, at which its first turn was accepted. A batch that is
-- turned back keeps it, and so stands before everything accepted since.
ALTER TABLE grants
    ADD COLUMN seniority_revision bigint,
    ADD COLUMN seniority_index    int;
ALTER TABLE host_upgrades
    ADD COLUMN seniority_revision bigint,
    ADD COLUMN seniority_index    int;
