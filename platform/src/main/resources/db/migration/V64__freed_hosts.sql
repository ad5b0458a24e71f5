-- Who was told that a rollout gave a host up is told that its quarantine has ended. Batches tell theirs by their hosts.
CREATE TRIGGER note_owners_of_freed BEFORE INSERT ON events FOR EACH ROW
    WHEN (NEW.kind = 'LockEnded' AND NEW.rollout IS NOT NULL AND NEW.host IS NOT NULL) EXECUTE FUNCTION note_owners();
