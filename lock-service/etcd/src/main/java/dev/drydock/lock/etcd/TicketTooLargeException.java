package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Replica;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A request for hosts whose grant etcd could never take: all hosts are locked in one transaction,
 * and each lock names all of them. Nothing was changed.
 */
public final class TicketTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private TicketTooLargeException(Ticket ticket, String why) {
    super(
        "a lock on "
            + ticket.hosts().size()
            + " hosts cannot be granted: "
            + why
            + ". Ask for fewer hosts, or name fewer applications and a shorter reason");
  }

  /** Throws unless the grant of {@code ticket} fits into one request. */
  static void check(EtcdConnection etcd, Ticket ticket) {
    GrantTransactions transactions = new GrantTransactions(new Replica().snapshot(List.of()));
    Fence longest = new Fence(Optional.of(Long.MAX_VALUE), Long.MAX_VALUE);
    Request grant =
        Request.of(
            etcd.keys(),
            longest.group("grant", List.of(transactions.grant(ticket, Instant.EPOCH))));
    Optional<String> why = grant.tooLarge(etcd.config());
    if (why.isPresent()) {
      throw new TicketTooLargeException(ticket, why.get());
    }
  }
}
