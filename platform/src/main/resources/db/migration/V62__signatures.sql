-- What a host was found to have when its remediation ended; unknown where no signature fits, empty where nobody found out.
ALTER TABLE remediations ADD COLUMN signature text NOT NULL DEFAULT '';
