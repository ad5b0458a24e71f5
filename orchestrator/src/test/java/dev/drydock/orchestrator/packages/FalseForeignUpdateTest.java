package dev.drydock.orchestrator.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.packages.PackageReadingDecision.Guard;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No update of our own is taken for somebody else's, whenever hosts are read. {@code
 * -Dpackages.seed} repeats a run.
 */
@Tag("stack")
class FalseForeignUpdateTest {
  private static final long SEED =
      Long.getLong("packages.seed", Long.getLong("prop.seed", System.nanoTime()));

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final HostsInHands hands = new HostsInHands();

  @AfterEach
  void close() {
    database.close();
  }

  private ReadingsAmongUpdates story(Guard guard) {
    PackageWatch watch = new PackageWatch(database.jdbi(), hands, guard);
    return new ReadingsAmongUpdates(database.jdbi(), fleet, hands, watch, new Random(SEED));
  }

  private int told() {
    return fleet.rows.told("ForeignUpdate").size();
  }

  @Test
  void noneAmongAThousandUpdatesOfOurOwn() {
    ReadingsAmongUpdates story = story(Guard.STAMP);
    story.run(1_000);
    assertThat(story.taken).as("readings that counted").isGreaterThan(500);
    assertThat(told()).as("seed %d; repeat with -Dpackages.seed=%d", SEED, SEED).isZero();
    System.out.printf(
        "foreign updates: none in %d of our own with %d readings, seed %d%n",
        story.updates, story.taken, SEED);
  }

  @Test
  void controlWithoutStampsThereAreSome() {
    ReadingsAmongUpdates story = story((_, _, _) -> true);
    story.run(100);
    assertThat(told()).as("seed %d", SEED).isPositive();
  }

  @Test
  void controlWhoLooksAtLocksAloneTakesLateReadingsForSome() {
    ReadingsAmongUpdates story = story((standing, _, table) -> standing.free(table));
    story.run(300);
    assertThat(told()).as("seed %d", SEED).isPositive();
  }
}
