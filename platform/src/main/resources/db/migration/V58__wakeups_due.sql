-- A wake-up that can wait for a moment is delivered together with those that come within it.
ALTER TABLE wakeups ADD COLUMN due_at timestamptz NOT NULL DEFAULT now();
