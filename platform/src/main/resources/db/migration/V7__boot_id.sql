-- Another one after every start of the host; null until its source tells.
ALTER TABLE hosts ADD COLUMN boot_id text;

-- What each host ran under when its FleetLock client last asked, and under which ticket: a hold that outlives its maximum is
-- over only once the host was started anew.
CREATE TABLE fleetlock_boots (
    host    text PRIMARY KEY,
    ticket  text NOT NULL,
    -- Null where nobody tells: then health alone is judged.
    boot_id text
);
