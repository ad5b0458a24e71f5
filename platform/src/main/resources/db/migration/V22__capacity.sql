-- How much an instance counts in rules about capacity, in units of its team; those of which nobody told count one each.
ALTER TABLE instances ADD COLUMN capacity int NOT NULL DEFAULT 1 CHECK (capacity BETWEEN 1 AND 10000);
