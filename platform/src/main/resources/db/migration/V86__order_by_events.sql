-- Which of two rows of different tables was written first is told by the last event when they were, never by their
-- times. Rows from before have none, and prove nothing.
ALTER TABLE lock_history ADD COLUMN last_event bigint;
ALTER TABLE lock_history ALTER COLUMN last_event SET DEFAULT last_event();
ALTER TABLE recoveries ADD COLUMN last_event bigint;
ALTER TABLE recoveries ALTER COLUMN last_event SET DEFAULT last_event();
-- When it was decided, not asked for.
ALTER TABLE checks ADD COLUMN decided_event bigint;
