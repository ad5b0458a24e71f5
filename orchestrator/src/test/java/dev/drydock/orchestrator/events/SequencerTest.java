package dev.drydock.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jdbi.v3.core.CloseException;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Numbers under concurrency, on a real PostgreSQL. */
@Tag("stack")
class SequencerTest {
  private static final int WRITERS = 6;
  private static final int TRANSACTIONS = 60;
  private static final int OBJECTS = 4;

  private TestDatabase database;
  private EventRows rows;
  private Sequencer sequencer;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    rows = new EventRows(database.jdbi());
    sequencer = new Sequencer(database.jdbi());
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void aCommitThatComesLateIsReadByACursorThatHasGoneOn() {
    List<String> read = readingAroundALateCommit();
    assertThat(read).containsExactly("early", "late");
  }

  /** The control: with ids as numbers the same reader never sees the late one. */
  @Test
  void aCursorOfIdsWouldSkipIt() {
    numberByIds();
    assertThat(readingAroundALateCommit()).containsExactly("early");
  }

  @Test
  void goesOnBehindAllThatARestoredDatabaseHadGiven() {
    Instant before = Instant.now();
    numbered("h1", "h2");
    database.jdbi().useTransaction(Sequencer::leap);
    numbered("h3");
    database
        .jdbi()
        .useTransaction(
            handle -> {
              event("h4", 1).append(handle);
              Sequencer.leap(handle);
            });
    numbered("h5");

    List<Long> numbers =
        database
            .jdbi()
            .withHandle(
                handle ->
                    handle
                        .createQuery("SELECT number FROM events ORDER BY id")
                        .mapTo(Long.class)
                        .list());
    assertThat(numbers).isSorted().doesNotHaveDuplicates().startsWith(1L, 2L);
    assertThat(numbers.get(2)).isGreaterThan(before.toEpochMilli() * 1000);
    assertThat(numbers.get(3)).isGreaterThan(numbers.get(2) + 1);
    assertThat(numbers.get(4)).isEqualTo(numbers.get(3) + 1);
    database.jdbi().useHandle(old -> old.execute("UPDATE events SET at = at - interval '8 d'"));
    assertThat(rows.prune(Duration.ofDays(7), 4, 10)).as("the newest are counted").isEqualTo(1);
    assertThat(rows.prune(Duration.ofDays(7), 2, 10)).isEqualTo(2);
  }

  private void numbered(String... hosts) {
    for (String host : hosts) {
      database.jdbi().useHandle(handle -> event(host, 1).append(handle));
    }
    sequencer.run();
  }

  private List<String> readingAroundALateCommit() {
    Reader reader = new Reader();
    try (Handle late = database.jdbi().open()) {
      late.begin();
      event("late", 1).append(late);
      database.jdbi().useHandle(handle -> event("early", 1).append(handle));
      sequencer.run();
      reader.read();
      late.commit();
    }
    sequencer.run();
    reader.read();
    return reader.seen.stream().map(seen -> seen.host().orElseThrow()).toList();
  }

  @Test
  void manyWritersAndSequencersGiveOneOrderWithoutGaps() throws Exception {
    Reader reader = race();
    assertThat(reader.seen.stream().map(FeedEvent::number))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, reader.seen.size()).boxed().toList());
    assertThat(reader.missing()).isZero();
    assertThat(reader.disorder()).as("events of one object that came before earlier ones").isZero();
  }

  /** The control: the same race is lost without the sequencer. */
  @Test
  void theSameRaceIsLostWithIdsForNumbers() throws Exception {
    numberByIds();
    assertThat(race().missing()).isPositive();
  }

  /** Writers that commit late or not at all, sequencers of which some die, one reader. */
  private Reader race() throws Exception {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    System.out.println("seed " + seed + " (repeat with -Dprop.seed=" + seed + ")");
    database.jdbi().useHandle(SequencerTest::objects);
    Reader reader = new Reader();
    AtomicBoolean written = new AtomicBoolean();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        Random random = new Random(seed + writer);
        writers.add(threads.submit(() -> write(random)));
      }
      List<Future<?>> others = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random random = new Random(seed - 1 - i);
        others.add(threads.submit(until(written, () -> sequence(random))));
      }
      others.add(threads.submit(until(written, reader::read)));
      for (Future<?> writer : writers) {
        writer.get();
      }
      written.set(true);
      for (Future<?> other : others) {
        other.get();
      }
    }
    sequencer.run();
    reader.read();
    return reader;
  }

  private static Callable<Boolean> until(AtomicBoolean end, Runnable work) {
    return () -> {
      while (!end.get()) {
        work.run();
      }
      return true;
    };
  }

  private void sequence(Random random) {
    if (random.nextInt(4) > 0) {
      sequencer.run();
      return;
    }
    // Dies before its commit: nothing of it may be seen.
    try (Handle dying = database.jdbi().open()) {
      dying.begin();
      Sequencer.number(dying);
      dying.rollback();
    }
  }

  private boolean write(Random random) {
    for (int i = 0; i < TRANSACTIONS; i++) {
      try (Handle handle = database.jdbi().open()) {
        handle.begin();
        if (random.nextBoolean()) {
          event("nobody's", 0).append(handle);
          takesItsTime(handle, random);
        }
        String object = "o" + random.nextInt(OBJECTS);
        int place =
            handle
                .createQuery("UPDATE objects SET n = n + 1 WHERE name = :name RETURNING n")
                .bind("name", object)
                .mapTo(Integer.class)
                .one();
        event(object, place).append(handle);
        takesItsTime(handle, random);
        if (random.nextInt(10) == 0) {
          handle.rollback();
        } else {
          handle.commit();
        }
      }
    }
    return true;
  }

  private static void takesItsTime(Handle handle, Random random) {
    handle.execute("SELECT pg_sleep(?)", random.nextInt(4) / 1000.0);
  }

  private static void objects(Handle handle) {
    handle.execute("CREATE TABLE objects (name text PRIMARY KEY, n int NOT NULL DEFAULT 0)");
    for (int i = 0; i < OBJECTS; i++) {
      handle.execute("INSERT INTO objects (name) VALUES (?)", "o" + i);
    }
  }

  @Test
  void aSequencerThatCordonsWithTheLockHoldsNobodyUp() {
    database.jdbi().useHandle(handle -> event("waits", 1).append(handle));
    Handle cordoned = database.jdbi().open();
    cordoned.begin();
    Sequencer.lock(cordoned, Duration.ofMillis(200));
    assertThat(sequencer.run()).isEqualTo(1);
    assertThatThrownBy(cordoned::close)
        .as("its session has ended")
        .isInstanceOf(CloseException.class);
  }

  private static NewEvent event(String host, int place) {
    return new NewEvent(
        EventKind.JobDone, Optional.empty(), Optional.of(host), Map.of("place", place));
  }

  private void numberByIds() {
    plantIdsAsNumbers(database);
  }

  /** The planted fault: every event has its number before its commit. */
  static void plantIdsAsNumbers(TestDatabase database) {
    database
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    """
                    CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS
                      'BEGIN NEW.number := NEW.id; RETURN NEW; END';
                    CREATE TRIGGER plant BEFORE INSERT ON events
                      FOR EACH ROW EXECUTE FUNCTION plant();
                    """));
  }

  /** Follows by cursor, as every reader does. */
  private final class Reader {
    private final List<FeedEvent> seen = new ArrayList<>();
    private long cursor;

    void read() {
      List<FeedEvent> found = rows.between(cursor, Long.MAX_VALUE, FeedFilter.ALL, 100);
      while (!found.isEmpty()) {
        seen.addAll(found);
        cursor = found.getLast().number();
        found = rows.between(cursor, Long.MAX_VALUE, FeedFilter.ALL, 100);
      }
    }

    long missing() {
      return database
              .jdbi()
              .withHandle(
                  handle ->
                      handle.createQuery("SELECT count(*) FROM events").mapTo(Long.class).one())
          - seen.size();
    }

    long disorder() {
      Map<String, Integer> last = new HashMap<>();
      return seen.stream()
          .filter(event -> event.host().orElseThrow().startsWith("o"))
          .filter(
              event -> {
                int place =
                    Integer.parseInt(String.valueOf(Json.readTree(event.data()).get("place")));
                Integer before = last.put(event.host().orElseThrow(), place);
                return before != null && before >= place;
              })
          .count();
    }
  }
}
