-- Hosts of a rollout that are taken together or not at all have one number; batches are taken in their order.
ALTER TABLE host_upgrades ADD COLUMN batch int;
UPDATE host_upgrades SET batch = position;
ALTER TABLE host_upgrades ALTER COLUMN batch SET NOT NULL;
