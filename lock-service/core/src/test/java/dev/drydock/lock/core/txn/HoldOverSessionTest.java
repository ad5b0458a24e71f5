package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * After a restore a host may have the record of a session that lapsed and be held again: the hold
 * is what everybody is shown, and what counts, in whatever order the two were read.
 */
class HoldOverSessionTest {
  private static final Key.Session SESSION = new Key.Session("t1");
  private static final Key.Lock HOLD = new Key.Lock("h1");

  private final Replica replica = Replica.of(1, List.of());
  private final Store store = new Store(changes -> replica.apply(this.store().revision, changes));
  private final List<LockRecord> lapsed =
      Grants.foreign(Samples.ticket("t1", Mode.WAIT, 2, List.of("h1", "h2")), Instant.EPOCH);
  private final LockRecord quarantine = lapsed.getFirst().quarantined("its health is unknown");

  private Store store() {
    return store;
  }

  private void lapses() {
    store.revision(
        () -> {
          store.lock(lapsed);
          store.put(
              new Key.Ended("h1"),
              new EndedLock("h1", "t1", store.revision, 7, "grantor", "lapsed"));
        });
  }

  private void isHeld() {
    store.revision(() -> store.put(HOLD, quarantine));
  }

  /** By who follows changes, and by who reads everything, in any order. */
  private void has(Optional<Kind> kind, boolean excluded) {
    List<StoredValue<?>> all = new ArrayList<>(store.all());
    List<Replica> read = new ArrayList<>(List.of(replica, Replica.of(store.revision, all)));
    read.add(Replica.of(store.revision, all.reversed()));
    for (Replica one : read) {
      assertThat(one.lockOn("h1").map(LockRecord::kind)).isEqualTo(kind);
      assertThat(one.excluded("h1")).isEqualTo(excluded);
      assertThat(one.snapshot().table()).isEqualTo(table(all)).isEqualTo(table(all.reversed()));
    }
  }

  private LockTable table(List<StoredValue<?>> everything) {
    return StoreSnapshot.of(store.revision, everything).table();
  }

  @Test
  void aHoldStandsBeforeWhatIsLeftOfASession() {
    lapses();
    has(Optional.of(Kind.SESSION), false);
    isHeld();
    has(Optional.of(Kind.QUARANTINE), true);
    store.revision(() -> store.put(SESSION, new SessionLock.Held(lapsed)));
    has(Optional.of(Kind.QUARANTINE), true);
    store.revision(() -> store.delete(SESSION));
    has(Optional.of(Kind.QUARANTINE), true);
    store.revision(() -> store.delete(HOLD));
    has(Optional.empty(), false);
  }

  /** The control: what stood behind the hold is there again once that has ended. */
  @Test
  void theSessionIsThereAgainOnceTheHoldEnded() {
    isHeld();
    lapses();
    has(Optional.of(Kind.QUARANTINE), true);
    store.revision(() -> store.delete(HOLD));
    has(Optional.of(Kind.SESSION), false);
    store.revision(() -> store.put(SESSION, new SessionLock.Held(List.of(lapsed.getLast()))));
    has(Optional.empty(), false);
  }
}
