-- The labels its hosts were selected by when it was submitted; empty where they were named.
ALTER TABLE rollouts ADD COLUMN selector text NOT NULL DEFAULT '';
