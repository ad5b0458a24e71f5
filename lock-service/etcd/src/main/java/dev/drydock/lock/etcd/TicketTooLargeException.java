package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Replica;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A request for hosts whose grant etcd could never take: all hosts are locked in one transaction,
 * and each lock names all of them. Nothing was changed.
 */
public final class TicketTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // More than it can be: each text stands in two keys and a value, escaped.
  private static final long BYTES_PER_LETTER = 32;
  private static final long BYTES_PER_LOCK = 2000;
  private static final int OPERATIONS_PER_LOCK = 4;
  private static final int OPERATIONS_PER_GRANT = 16;

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
    if (small(etcd.config(), ticket)) {
      return;
    }
    GrantTransactions transactions = new GrantTransactions(new Replica().snapshot(List.of()));
    Fence longest = new Fence(Optional.of(Long.MAX_VALUE), Long.MAX_VALUE);
    EtcdTransactionRequest grant =
        EtcdTransactionRequest.of(
            etcd.keys(),
            longest.group("grant", List.of(transactions.grant(ticket, Instant.EPOCH))));
    Optional<String> why = grant.tooLarge(etcd.config());
    if (why.isPresent()) {
      throw new TicketTooLargeException(ticket, why.get());
    }
  }

  /** So far below the limits that it need not be written out to know. */
  private static boolean small(EtcdConfig config, Ticket ticket) {
    long letters =
        Stream.of(
                ticket.hosts(),
                ticket.applications(),
                List.of(ticket.id(), ticket.holder(), ticket.reason()))
            .flatMap(List::stream)
            .mapToLong(String::length)
            .sum();
    int hosts = ticket.hosts().size();
    return hosts * (BYTES_PER_LETTER * letters + BYTES_PER_LOCK) < EtcdConfig.REQUEST_BYTES_MAX
        && hosts * OPERATIONS_PER_LOCK + OPERATIONS_PER_GRANT < config.maxTxnOps();
  }
}
