-- A host shows how far the upgrade under way on it is: one lookup per host of a page, among the few under way.
CREATE INDEX host_upgrades_under_way ON host_upgrades (host) WHERE state = 'InProgress';
