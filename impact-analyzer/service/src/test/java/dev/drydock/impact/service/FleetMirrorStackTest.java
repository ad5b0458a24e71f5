package dev.drydock.impact.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.InventorySnapshot;
import dev.drydock.platform.testkit.TestDatabase;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The mirror on rows that many transactions write at once. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class FleetMirrorStackTest {
  private static final int RUNS = Integer.getInteger("prop.runs", 25);

  /** A planted bug is found long before. */
  private static final int RUNS_UNTIL_CAUGHT = 200;

  private final TestDatabase store = TestDatabase.create();
  private final Rows rows = new Rows(store.jdbi());

  @AfterAll
  void close() {
    store.close();
  }

  @BeforeEach
  void sixHosts() {
    rows.empty();
    for (int host = 0; host < 6; host++) {
      rows.host("h" + host);
    }
  }

  /** Tells stories until one fails; the message says which. */
  private void stories(int runs, UnaryOperator<ReadPosition> position) {
    long base = Long.getLong("prop.seed", System.nanoTime());
    for (long seed = base; seed < base + runs; seed++) {
      sixHosts();
      FleetMirror mirror = new FleetMirror(handle -> position.apply(ReadPosition.of(handle)));
      try (MirrorScenario story = new MirrorScenario(store.jdbi(), mirror, new Random(seed))) {
        story.tell();
      } catch (AssertionError | RuntimeException failed) {
        throw new AssertionError(
            "fails with seed %d (repeat: -Dprop.seed=%d -Dprop.runs=1): %s"
                .formatted(seed, seed, failed),
            failed);
      }
    }
  }

  @Test
  void isTheFleetOfTheReadingTransactionWhateverOthersWrite() {
    stories(RUNS, position -> position);
  }

  @Test
  void theCheckCatchesWhoForgetsTransactionsThatWereRunning() {
    assertCaught(at -> at(at.removals(), at.next(), List.of(), at));
  }

  @Test
  void theCheckCatchesWhoDoesNotNoticeThatRowsWereRemoved() {
    assertCaught(at -> at(0, at.next(), at.running(), at));
  }

  private void assertCaught(UnaryOperator<ReadPosition> bug) {
    assertThatThrownBy(() -> stories(RUNS_UNTIL_CAUGHT, bug))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the mirror against all rows");
  }

  private static ReadPosition at(long removals, long next, List<Long> running, ReadPosition at) {
    return new ReadPosition(at.database(), removals, next, running, at.own());
  }

  @Test
  void anotherDatabaseOrOneSetBackIsReadAnew() {
    ReadPosition at = new ReadPosition("a", 0, 10, List.of(7L), Optional.empty());
    assertThat(at.leadsTo(at)).isTrue();
    assertThat(at.leadsTo(new ReadPosition("a", 0, 12, List.of(7L, 11L), Optional.empty())))
        .isTrue();
    assertThat(at.leadsTo(new ReadPosition("a", 0, 10, List.of(), Optional.empty()))).isTrue();
    assertThat(at.leadsTo(new ReadPosition("b", 0, 12, List.of(), Optional.empty()))).isFalse();
    assertThat(at.leadsTo(new ReadPosition("a", 1, 12, List.of(), Optional.empty()))).isFalse();
    assertThat(at.leadsTo(new ReadPosition("a", 0, 9, List.of(), Optional.empty()))).isFalse();
    assertThat(at.leadsTo(new ReadPosition("a", 0, 12, List.of(8L), Optional.empty())))
        .as("8 had ended")
        .isFalse();
  }

  @Test
  void aTransactionThatChangedTheFleetItselfIsTurnedAwayAndLeavesNothing() {
    FleetMirror mirror = new FleetMirror();
    try (Handle handle = store.jdbi().open()) {
      InventorySnapshot before = read(mirror, handle);
      handle.begin();
      handle.execute("DELETE FROM hosts WHERE name = 'h2'");
      handle.execute("UPDATE hosts SET effect_mark = 5 WHERE name = 'h1'");
      assertThatThrownBy(() -> mirror.inTurn(() -> mirror.read(handle, List.of())))
          .hasMessageContaining("changed the fleet's rows");
      handle.rollback();
      assertThat(read(mirror, handle)).isEqualTo(before);
    }
  }

  @Test
  void aRemovalThatWasTakenBackHidesNoOther() {
    FleetMirror mirror = new FleetMirror();
    try (Handle handle = store.jdbi().open()) {
      handle.begin();
      handle.execute("DELETE FROM hosts WHERE name = 'h1'");
      mirror.inTurn(() -> mirror.read(handle, List.of()));
      handle.rollback();
      rows.execute("DELETE FROM hosts WHERE name = 'h2'");
      assertThat(read(mirror, handle)).isEqualTo(read(new FleetMirror(), handle));
    }
  }

  @Test
  void nothingIsLeftOfAnOldName() {
    rows.instance("web", "h1", 1);
    FleetMirror mirror = new FleetMirror();
    try (Handle handle = store.jdbi().open()) {
      read(mirror, handle);
      rows.execute("UPDATE instances SET id = 'renamed'");
      assertThat(read(mirror, handle)).isEqualTo(read(new FleetMirror(), handle));
      rows.execute("UPDATE hosts SET name = 'renamed' WHERE name = 'h2'");
      assertThat(read(mirror, handle)).isEqualTo(read(new FleetMirror(), handle));
    }
  }

  /** Their transactions have the numbers of one server. */
  @Test
  void tablesElsewhereAreReadAnew() {
    FleetMirror mirror = new FleetMirror();
    try (TestDatabase one = TestDatabase.create();
        TestDatabase other = TestDatabase.create()) {
      new Rows(one.jdbi()).host("h1");
      new Rows(other.jdbi()).host("h2");
      assertThat(one.jdbi().withHandle(in -> read(mirror, in)).hosts()).containsOnlyKeys("h1");
      assertThat(other.jdbi().withHandle(in -> read(mirror, in)).hosts()).containsOnlyKeys("h2");
    }
  }

  /**
   * Numbers of transactions that were taken back and nowhere on disk yet are given out again after
   * a crash, by the same server. Instead of a crash, which would end other tests' sessions, it is
   * told to forget what it counted, as it does then.
   */
  @Test
  void aServerThatCrashedIsReadAnew() {
    try (TestDatabase asSuperuser = TestDatabase.createLogged();
        Handle handle = asSuperuser.jdbi().open()) {
      ReadPosition before = ReadPosition.of(handle);
      assertThat(before.leadsTo(ReadPosition.of(handle))).isTrue();
      handle.execute("SELECT pg_stat_reset_shared('bgwriter')");
      assertThat(before.leadsTo(ReadPosition.of(handle))).isFalse();
    }
  }

  @Test
  void onlyWhatChangedIsRead() {
    FleetMirror mirror = new FleetMirror();
    try (Handle handle = store.jdbi().open()) {
      InventorySnapshot before = read(mirror, handle);
      rows.execute("UPDATE hosts SET effect_mark = 5 WHERE name = 'h1'");
      rows.execute("UPDATE hosts SET observed_at = clock_timestamp()");
      InventorySnapshot after = read(mirror, handle);
      assertThat(after.hosts().get("h2")).isSameAs(before.hosts().get("h2"));
      assertThat(after.hosts().get("h1")).isNotEqualTo(before.hosts().get("h1"));
    }
  }

  private static InventorySnapshot read(FleetMirror mirror, Handle handle) {
    return handle.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        in -> mirror.inTurn(() -> mirror.read(in, List.of())));
  }
}
