package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kept inventory against one made of the newest states alone. */
class InventoryTrackerTest {

  /** What is told, in batches. */
  private record Story(List<List<FleetInstance>> batches) {
    static Story random(RandomGenerator random) {
      List<List<FleetInstance>> batches = new ArrayList<>();
      for (int batch = 0; batch < 1 + random.nextInt(5); batch++) {
        batches.add(Stream.generate(() -> instance(random)).limit(random.nextInt(12)).toList());
      }
      return new Story(batches);
    }

    private static FleetInstance instance(RandomGenerator random) {
      return new FleetInstance(
          "i" + random.nextInt(10),
          "a" + random.nextInt(3),
          "h" + random.nextInt(4),
          "z",
          1 + random.nextInt(3),
          Health.HEALTHY,
          random.nextInt(5),
          Instant.EPOCH,
          random.nextInt(4) == 0);
    }

    Stream<Story> smaller() {
      return IntStream.range(0, batches.size())
          .mapToObj(
              left -> {
                List<List<FleetInstance>> fewer = new ArrayList<>(batches);
                fewer.remove(left);
                return new Story(fewer);
              });
    }

    /** Told only {@code what}. */
    String complaint(Predicate<FleetInstance> what) {
      InventoryTracker book = new InventoryTracker();
      Map<String, FleetInstance> newest = new TreeMap<>();
      List<InventorySnapshot> kept = new ArrayList<>();
      List<InventorySnapshot> fresh = new ArrayList<>();
      for (List<FleetInstance> batch : batches) {
        batch.stream().filter(what).forEach(book::put);
        batch.forEach(instance -> newest.put(instance.id(), instance));
        kept.add(book.inventory());
        fresh.add(InventorySnapshot.of(List.of(), newest.values()));
      }
      return kept.equals(fresh) ? "" : "kept %s instead of %s".formatted(kept, fresh);
    }
  }

  @Test
  void isWhatTheNewestStatesMakeAndWasHandedOutUnchanged() {
    Properties.check(Story::random, Story::smaller, story -> story.complaint(_ -> true));
  }

  @Test
  void theCheckCatchesAnInstanceThatVanishesUntold() {
    assertThat(
            Properties.caught(
                Story::random, Story::smaller, story -> story.complaint(i -> !i.vanished())))
        .contains("instead of");
  }

  @Test
  void whatDidNotChangeIsShared() {
    InventoryTracker book = new InventoryTracker();
    book.put(new FleetInstance("i1", "a", "h1", "z", 1, Health.HEALTHY, 1, Instant.EPOCH, false));
    book.put(new FleetInstance("i2", "b", "h2", "z", 1, Health.HEALTHY, 1, Instant.EPOCH, false));
    InventorySnapshot before = book.inventory();
    book.put(new FleetInstance("i1", "a", "h1", "z", 1, Health.UNKNOWN, 2, Instant.EPOCH, false));
    InventorySnapshot after = book.inventory();
    assertThat(after.byHost().get("h2")).isSameAs(before.byHost().get("h2"));
    assertThat(after.byApplication().get("b")).isSameAs(before.byApplication().get("b"));
    assertThat(after.byHost().get("h1")).isNotEqualTo(before.byHost().get("h1"));
  }
}
