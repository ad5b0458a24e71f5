package dev.drydock.lock.core.txn;

/**
 * The sign that the client of a ticket or session lock is alive, under {@code alive/<id>}. While
 * the ticket waits it lives for as long as the client asked to wait unseen; once granted, by the
 * shorter lease of the lock.
 *
 * @param waiting whether it still lives by the waiting ticket's lease
 * @param leaseSeconds the lock's own lease
 */
public record LivenessRecord(boolean waiting, int leaseSeconds) {

  /** The same client once the lock's own lease counts. */
  LivenessRecord counted() {
    return new LivenessRecord(false, leaseSeconds);
  }
}
