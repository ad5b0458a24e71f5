-- What is installed on hosts.

-- What is installed on hosts as host operators read it, to tell when somebody else changed it.
CREATE TABLE host_packages (
    host     text PRIMARY KEY REFERENCES hosts,
    -- Answers taken so far. A reading that was begun before the last of them is ignored.
    readings bigint NOT NULL DEFAULT 0,
    read_at  timestamptz,
    -- What was done to the host when the digest was read: only readings under the same mark are compared.
    mark     text,
    digest   text,
    -- When that was last found installed; a time from before the reading.
    equal_at timestamptz,
    -- How often in a row the packages could not be read, and why.
    faults   int NOT NULL DEFAULT 0,
    fault    text NOT NULL DEFAULT '',
    CHECK ((mark IS NULL) = (digest IS NULL) AND (mark IS NULL) = (equal_at IS NULL))
);

-- Packages of a host were changed while it was in nobody's hands, after the one time and before the other.
CREATE TABLE foreign_updates (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host      text NOT NULL REFERENCES hosts,
    after_at  timestamptz NOT NULL,
    before_at timestamptz NOT NULL,
    says      text NOT NULL
);
CREATE INDEX foreign_updates_of_host ON foreign_updates (host, before_at);
