package dev.drydock.lock.core.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.history.Entry.What;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Stored;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is told of session locks, each one record for all its hosts. */
class ReadingTest {
  private static final SessionLock.Held OLD = held("z", "h1", "h2");

  @Test
  void handingOnIsAnEndAndThenAGrant() {
    List<Entry> entries =
        Reading.of(
            9,
            List.of(
                change("a", Optional.empty(), Optional.of(held("a", "h1", "h2"))),
                change("z", Optional.of(OLD), Optional.of(over("z", "h1", "h2")))));

    assertThat(entries)
        .extracting(Entry::what, Entry::id, Entry::hosts, Entry::by)
        .containsExactly(
            tuple(What.ENDED, "z", List.of("h1", "h2"), "owner"),
            tuple(What.GRANTED, "a", List.of("h1", "h2"), "someone"));
  }

  @Test
  void hostThatIsBrokenOutIsQuarantinedAndHasNotEnded() {
    LockRecord broken = OLD.locks().getFirst().quarantined("broken by ann");
    Key.Lock key = new Key.Lock("h1");

    List<Entry> entries =
        Reading.of(
            9,
            List.of(
                new Transition<>(
                    key, Optional.empty(), Optional.of(new Stored<>(key, broken, 9, 9)), 9),
                change("z", Optional.of(OLD), Optional.of(on("h2")))));

    assertThat(entries)
        .extracting(Entry::what, Entry::hosts, Entry::reason)
        .containsExactly(tuple(What.QUARANTINED, List.of("h1"), "broken by ann"));
  }

  @Test
  void hostThatALapsedLockLosesEndsAndTheOthersDoNot() {
    Key.Ended key = new Key.Ended("h1");
    Ended lapsed = new Ended("h1", "z", 7, "grantor", "h1 was seen healthy");

    List<Entry> entries =
        Reading.of(
            9,
            List.of(
                new Transition<>(
                    key, Optional.empty(), Optional.of(new Stored<>(key, lapsed, 9, 9)), 9),
                change("z", Optional.of(OLD), Optional.of(on("h2")))));

    assertThat(entries)
        .extracting(Entry::what, Entry::hosts, Entry::by, Entry::reason)
        .containsExactly(tuple(What.ENDED, List.of("h1"), "grantor", "h1 was seen healthy"));
  }

  @Test
  void whatAnEndedLockLeftBehindGoesWithoutAWord() {
    assertThat(Reading.of(9, List.of(change("z", Optional.of(over("z", "h1")), Optional.empty()))))
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
        List.of(hosts).stream().map(host -> new Ended(host, id, 7, "owner", "done")).toList());
  }

  private static Transition<SessionLock> change(
      String id, Optional<SessionLock> before, Optional<? extends SessionLock> after) {
    Key.Session key = new Key.Session(id);
    long created = before.isPresent() ? 5 : 9;
    return new Transition<>(
        key,
        before.map(value -> new Stored<>(key, value, created, created)),
        after.map(value -> new Stored<>(key, value, created, 9)),
        9);
  }
}
