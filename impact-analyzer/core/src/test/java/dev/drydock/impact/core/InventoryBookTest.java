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
class InventoryBookTest {

  /** What is told, in batches. */
  private record Story(List<List<Instance>> batches) {
    static Story random(RandomGenerator random) {
      List<List<Instance>> batches = new ArrayList<>();
      for (int batch = 0; batch < 1 + random.nextInt(5); batch++) {
        batches.add(Stream.generate(() -> instance(random)).limit(random.nextInt(12)).toList());
      }
      return new Story(batches);
    }

    private static Instance instance(RandomGenerator random) {
      return new Instance(
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
                List<List<Instance>> fewer = new ArrayList<>(batches);
                fewer.remove(left);
                return new Story(fewer);
              });
    }

    /** Told only {@code what}. */
    String complaint(Predicate<Instance> what) {
      InventoryBook book = new InventoryBook();
      Map<String, Instance> newest = new TreeMap<>();
      List<Inventory> kept = new ArrayList<>();
      List<Inventory> fresh = new ArrayList<>();
      for (List<Instance> batch : batches) {
        batch.stream().filter(what).forEach(book::put);
        batch.forEach(instance -> newest.put(instance.id(), instance));
        kept.add(book.inventory());
        fresh.add(Inventory.of(List.of(), newest.values()));
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
    InventoryBook book = new InventoryBook();
    book.put(new Instance("i1", "a", "h1", "z", 1, Health.HEALTHY, 1, Instant.EPOCH, false));
    book.put(new Instance("i2", "b", "h2", "z", 1, Health.HEALTHY, 1, Instant.EPOCH, false));
    Inventory before = book.inventory();
    book.put(new Instance("i1", "a", "h1", "z", 1, Health.UNKNOWN, 2, Instant.EPOCH, false));
    Inventory after = book.inventory();
    assertThat(after.byHost().get("h2")).isSameAs(before.byHost().get("h2"));
    assertThat(after.byApplication().get("b")).isSameAs(before.byApplication().get("b"));
    assertThat(after.byHost().get("h1")).isNotEqualTo(before.byHost().get("h1"));
  }
}
