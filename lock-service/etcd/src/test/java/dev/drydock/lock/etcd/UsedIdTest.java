package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Note;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.TicketTransactions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The id of a lock that was released, asked for again once the note of its end is gone: its record
 * stays until a later end says more of its hosts.
 */
@Tag("stack")
class UsedIdTest {
  private final Bench bench = new Bench();
  private final Ticket ticket = Bench.ticket("nightly", Mode.TRY, "h1");

  @BeforeEach
  void endsAndItsNoteIsGone() {
    EtcdLocks locks = bench.grantor();
    Bench.take(locks, ticket);
    locks.desk().leave("nightly", "sre", "done");
    bench.remove("verdicts/nightly");
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void staysUsedUpWhileTheRecordOfTheEndStands() {
    EtcdLocks locks = bench.open();

    assertThat(locks.desk().submit(ticket, Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            Standing.Over.class,
            over -> {
              assertThat(over.note().state()).isEqualTo(Note.State.ENDED);
              assertThat(over.note().reason()).isEqualTo("ended by sre: done");
              assertThat(over.hosts()).containsExactly("h1");
              assertThat(over.holder()).isEqualTo(Standing.UNKNOWN);
            });
    assertThat(locks.desk().renew("nightly")).containsInstanceOf(Standing.Over.class);
    assertThat(locks.desk().leave("nightly", "sre", "again"))
        .containsInstanceOf(Standing.Over.class);
    assertThat(locks.holds().table().tickets()).isEmpty();
  }

  /** Such a ticket could never be granted, and the grantor would try for ever. */
  @Test
  void doesNotEnterTheQueueLateEitherSoThatTheGrantorGoesOn() {
    EtcdLocks locks = bench.open();
    EtcdConnection etcd = bench.direct();

    long lease = etcd.grantLease(Duration.ofSeconds(60));
    assertThat(etcd.commit(TicketTransactions.take(ticket, lease)).isSucceeded()).isFalse();

    for (int i = 0; i < 3; i++) {
      String next = "next-" + i;
      Bench.take(locks, next, "h2");
      locks.desk().leave(next, "sre", "done");
    }
  }

  @Test
  void isForgottenOnceALaterEndSaysMoreOfItsHosts() {
    EtcdLocks locks = bench.open();
    Bench.take(locks, "next", "h1");
    locks.desk().leave("next", "sre", "done");

    assertThat(locks.desk().find("nightly")).isEmpty();
    Bench.take(locks, ticket);
  }
}
