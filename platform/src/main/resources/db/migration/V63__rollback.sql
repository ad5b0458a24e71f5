-- The release a host was taken back to amid its upgrade, as nothing else helped; what is done to it from then on is about that one.
ALTER TABLE host_upgrades ADD COLUMN back_to text REFERENCES releases (name);
