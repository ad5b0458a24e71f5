package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoredValue;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who goes before whom, and that the next grantor knows for how long already. */
@Tag("stack")
class BackfillOverEtcdTest {
  private static final int TEN_MINUTES = 600;

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void whoeverIsGoneInTimeGoesBeforeAndTheNextGrantorCountsOn() {
    EtcdLocks first = etcdTestBed.grantor();
    EtcdTestBed.take(first, EtcdTestBed.ticket("holder", Mode.WAIT, "h1").lasting(TEN_MINUTES));
    waits(first, EtcdTestBed.ticket("zone", Mode.WAIT, "h1", "h2", "h3"));

    EtcdTestBed.take(first, EtcdTestBed.ticket("short", Mode.WAIT, "h2").lasting(5));
    BackfillClock clock = clock("zone").orElseThrow();
    assertThat(clock.since()).isPresent();

    first.close();
    EtcdLocks second = etcdTestBed.grantor();
    EtcdTestBed.take(second, EtcdTestBed.ticket("short too", Mode.WAIT, "h3").lasting(5));
    assertThat(clock("zone")).as("the same clock under another grantor").contains(clock);
  }

  @Test
  void whoeverMayStayForLongerWaitsBehind() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("holder", Mode.WAIT, "h1").lasting(TEN_MINUTES));
    waits(locks, EtcdTestBed.ticket("zone", Mode.WAIT, "h1", "h2"));

    waits(locks, EtcdTestBed.ticket("long", Mode.WAIT, "h2").lasting(TEN_MINUTES));
    waits(locks, EtcdTestBed.ticket("without end", Mode.WAIT, "h2"));
    locks
        .desk()
        .submit(EtcdTestBed.ticket("try", Mode.TRY, "h2").lasting(5), Duration.ofSeconds(60));
    Await.until(
        "the try is refused",
        () -> locks.desk().find("try").orElseThrow() instanceof RequestStatus.Over);
    assertThat(locks.lockOn("h2")).isEmpty();
    assertThat(clock("zone")).as("nobody went before it").isEmpty();

    locks.desk().leave("holder", "kernel-team", "done");
    Await.until("the zone has its hosts", () -> EtcdTestBed.has(locks, "zone", "h2"));
  }

  @Test
  void boundsAreThoseOfTheConfigurationAndAreToldAsSuch() {
    etcdTestBed.backfill = new Backfill(Duration.ofSeconds(100), Duration.ofSeconds(15));
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("holder", Mode.WAIT, "h1").lasting(TEN_MINUTES));
    waits(locks, EtcdTestBed.ticket("zone", Mode.WAIT, "h1", "h2", "h3"));
    waits(locks, EtcdTestBed.ticket("too long", Mode.WAIT, "h2").lasting(90));
    assertThat(locks.lockOn("h2")).isEmpty();

    EtcdTestBed.take(locks, EtcdTestBed.ticket("short", Mode.WAIT, "h3").lasting(5));
    Instant until = clock("zone").orElseThrow().since().orElseThrow().plusSeconds(100);
    String told = "others may go before it until " + until;
    assertThat(locks.desk().find("zone").orElseThrow()).asString().contains(told);
    assertThat(locks.desk().all()).asString().contains(told);
  }

  private static void waits(EtcdLocks locks, Ticket ticket) {
    locks.desk().submit(ticket, Duration.ofSeconds(60));
    Await.until(
        ticket.id() + " is told why it waits",
        () ->
            locks.desk().find(ticket.id()).orElseThrow() instanceof RequestStatus.Waiting waiting
                && !waiting.reason().isEmpty());
  }

  private Optional<BackfillClock> clock(String id) {
    return etcdTestBed.direct().read(new Key.Passed(id)).map(StoredValue::value);
  }
}
