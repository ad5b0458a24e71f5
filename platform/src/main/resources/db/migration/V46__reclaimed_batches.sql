-- Why the batch is reclaimed: its workflow was lost after it had begun, so that nobody leads it forward any more.
ALTER TABLE grants ADD COLUMN reclaim text;
