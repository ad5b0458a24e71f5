package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.TicketNote;
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
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final Ticket ticket = EtcdTestBed.ticket("nightly", Mode.TRY, "h1");

  @BeforeEach
  void endsAndItsNoteIsGone() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, ticket);
    locks.desk().leave("nightly", "sre", "done");
    etcdTestBed.remove("verdicts/nightly");
  }

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void staysUsedUpWhileTheRecordOfTheEndStands() {
    EtcdLocks locks = etcdTestBed.open();

    assertThat(locks.desk().submit(ticket, Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            RequestStatus.Over.class,
            over -> {
              assertThat(over.note().state()).isEqualTo(TicketNote.State.ENDED);
              assertThat(over.note().reason()).isEqualTo("ended by sre: done");
              assertThat(over.hosts()).containsExactly("h1");
              assertThat(over.holder()).isEqualTo(RequestStatus.UNKNOWN);
            });
    assertThat(locks.desk().renew("nightly")).containsInstanceOf(RequestStatus.Over.class);
    assertThat(locks.desk().leave("nightly", "sre", "again"))
        .containsInstanceOf(RequestStatus.Over.class);
    assertThat(locks.holds().table().tickets()).isEmpty();
  }

  /** Such a ticket could never be granted, and the grantor would try for ever. */
  @Test
  void doesNotEnterTheQueueLateEitherSoThatTheGrantorGoesOn() {
    EtcdLocks locks = etcdTestBed.open();
    EtcdConnection etcd = etcdTestBed.direct();

    long lease = etcd.grantLease(Duration.ofSeconds(60));
    assertThat(etcd.commit(TicketTransactions.take(ticket, lease)).isSucceeded()).isFalse();

    for (int i = 0; i < 3; i++) {
      String next = "next-" + i;
      EtcdTestBed.take(locks, next, "h2");
      locks.desk().leave(next, "sre", "done");
    }
  }

  @Test
  void isForgottenOnceALaterEndSaysMoreOfItsHosts() {
    EtcdLocks locks = etcdTestBed.open();
    EtcdTestBed.take(locks, "next", "h1");
    locks.desk().leave("next", "sre", "done");

    assertThat(locks.desk().find("nightly")).isEmpty();
    EtcdTestBed.take(locks, ticket);
  }
}
