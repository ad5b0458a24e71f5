-- The higher goes first among those that have no place in the queue yet.
ALTER TABLE rollouts ADD COLUMN priority text NOT NULL DEFAULT 'Normal' CHECK (priority IN ('Low', 'Normal', 'High'));
