package dev.drydock.lock.core.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.history.HistoryEntry.What;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoredValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is told of session locks, each one record for all its hosts. */
class RevisionInterpreterTest {
  private static final SessionLock.Held OLD = held("z", "h1", "h2");

  @Test
  void handingOnIsAnEndAndThenAGrant() {
    List<HistoryEntry> entries =
        RevisionInterpreter.of(
            9,
            List.of(
                change("a", Optional.empty(), Optional.of(held("a", "h1", "h2"))),
                change("z", Optional.of(OLD), Optional.of(over("z", "h1", "h2")))));

    assertThat(entries)
        .extracting(HistoryEntry::what, HistoryEntry::id, HistoryEntry::hosts, HistoryEntry::by)
        .containsExactly(
            tuple(What.ENDED, "z", List.of("h1", "h2"), "owner"),
            tuple(What.GRANTED, "a", List.of("h1", "h2"), "someone"));
  }

  @Test
  void hostThatIsBrokenOutIsQuarantinedAndHasNotEnded() {
    LockRecord broken = OLD.locks().getFirst().quarantined("broken by ann");
    Key.Lock key = new Key.Lock("h1");

    List<HistoryEntry> entries =
        RevisionInterpreter.of(
            9,
            List.of(
                new KeyTransition<>(
                    key, Optional.empty(), Optional.of(new StoredValue<>(key, broken, 9, 9)), 9),
                change("z", Optional.of(OLD), Optional.of(on("h2")))));

    assertThat(entries)
        .extracting(HistoryEntry::what, HistoryEntry::hosts, HistoryEntry::reason)
        .containsExactly(tuple(What.QUARANTINED, List.of("h1"), "broken by ann"));
  }

  @Test
  void hostThatALapsedLockLosesEndsAndTheOthersDoNot() {
    Key.Ended key = new Key.Ended("h1");
    EndedLock lapsed = new EndedLock("h1", "z", 7, "grantor", "h1 was seen healthy");

    List<HistoryEntry> entries =
        RevisionInterpreter.of(
            9,
            List.of(
                new KeyTransition<>(
                    key, Optional.empty(), Optional.of(new StoredValue<>(key, lapsed, 9, 9)), 9),
                change("z", Optional.of(OLD), Optional.of(on("h2")))));

    assertThat(entries)
        .extracting(HistoryEntry::what, HistoryEntry::hosts, HistoryEntry::by, HistoryEntry::reason)
        .containsExactly(tuple(What.ENDED, List.of("h1"), "grantor", "h1 was seen healthy"));
  }

  @Test
  void whatAnEndedLockLeftBehindGoesWithoutAWord() {
    assertThat(
            RevisionInterpreter.of(
                9, List.of(change("z", Optional.of(over("z", "h1")), Optional.empty()))))
        .isEmpty();
  }

  private static SessionLock on(String host) {
    return new SessionLock.Held(
        OLD.locks().stream().filter(lock -> lock.host().equals(host)).toList());
  }

  private static SessionLock.Held held(String id, String... hosts) {
    return new SessionLock.Held(
        Grants.foreign(Samples.ticket(id, Mode.WAIT, 1, hosts), Instant.EPOCH));
  }

  private static SessionLock over(String id, String... hosts) {
    return new SessionLock.Over(
        List.of(hosts).stream().map(host -> new EndedLock(host, id, 7, "owner", "done")).toList());
  }

  private static KeyTransition<SessionLock> change(
      String id, Optional<SessionLock> before, Optional<? extends SessionLock> after) {
    Key.Session key = new Key.Session(id);
    long created = before.isPresent() ? 5 : 9;
    return new KeyTransition<>(
        key,
        before.map(value -> new StoredValue<>(key, value, created, created)),
        after.map(value -> new StoredValue<>(key, value, created, 9)),
        9);
  }
}
