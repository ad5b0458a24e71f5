-- Rows that are older than what was done send no batch back: it is read. What was restored before that was known did.
UPDATE grants SET undo = NULL, undo_reason = NULL WHERE blind AND state = 'granted';
