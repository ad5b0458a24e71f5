-- Rows that change while a host is upgraded, in columns that no index has: with room in their page
-- the new version needs no entry in any index.
ALTER TABLE host_upgrades SET (fillfactor = 60);
ALTER TABLE grants SET (fillfactor = 70);
ALTER TABLE hosts SET (fillfactor = 70);
ALTER TABLE instances SET (fillfactor = 70);
