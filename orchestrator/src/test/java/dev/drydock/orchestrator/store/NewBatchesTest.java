package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.store.NewBatches.Open;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class NewBatchesTest {
  private static final int RUNS = 500;

  @Test
  void whoJoinsABatchTakesItsNumberAndNobodyElseIsTouched() {
    assertThat(made(free("a 0", "b 1", "c 2", "x 7"), "a", "b x", "c").numbers())
        .isEqualTo(Map.of("x", 1));
  }

  @Test
  void whoIsApartFromNowOnComesRightBehind() {
    assertThat(made(free("a 0", "b 0", "c 3"), "a", "b", "c").numbers()).isEqualTo(Map.of("b", 1));
    assertThat(made(free("a 0", "b 0", "c 1", "d 9"), "a", "b", "c", "d").numbers())
        .isEqualTo(Map.of("b", 1, "c", 2));
  }

  @Test
  void nobodyStandsInABatchThatIsTaken() {
    List<Open> open = new ArrayList<>(free("a 0", "b 1"));
    open.add(new Open("t", 0, false));
    assertThat(made(open, "a", "b").numbers()).isEqualTo(Map.of("a", 1, "b", 2));
  }

  @Test
  void aBatchThatNoGrantTakesHasNoNumber() {
    NewBatches made =
        NewBatches.of(free("a 0", "b 1", "c 2"), List.of(words("a b"), words("c")), 1);
    assertThat(made.tooLarge()).containsExactly(List.of("a", "b"));
    assertThat(made.touched()).containsExactlyInAnyOrder("a", "b");
  }

  /** Hosts of few batches, some of them taken, put together at random. */
  @Test
  void batchesStandInTheirOrderApartFromEachOtherAndFromThoseThatAreTaken() {
    long base = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", RUNS);
    LongStream.range(base, base + runs).forEach(NewBatchesTest::numbered);
  }

  private static void numbered(long seed) {
    Random random = new Random(seed);
    List<Open> open = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      open.add(new Open("h" + i, random.nextInt(8), random.nextInt(4) > 0));
    }
    open.sort(Comparator.comparing(Open::batch));
    Map<Integer, List<String>> together = new LinkedHashMap<>();
    Map<String, Integer> now = new LinkedHashMap<>();
    Set<Integer> taken = new HashSet<>();
    for (Open one : open) {
      if (one.free()) {
        together.computeIfAbsent(random.nextInt(6), _ -> new ArrayList<>()).add(one.host());
        now.put(one.host(), one.batch());
      } else {
        taken.add(one.batch());
      }
    }
    List<List<String>> batches = List.copyOf(together.values());
    NewBatches made = NewBatches.of(open, batches, 100);
    now.putAll(made.numbers());
    int last = -1;
    for (List<String> batch : batches) {
      Set<Integer> numbers = new HashSet<>();
      batch.forEach(host -> numbers.add(now.get(host)));
      assertThat(numbers).as("repeat with -Dprop.seed=%d -Dprop.runs=1", seed).hasSize(1);
      int number = numbers.iterator().next();
      assertThat(number).as("seed %d: order", seed).isGreaterThan(last);
      assertThat(taken).as("seed %d: taken", seed).doesNotContain(number);
      last = number;
    }
  }

  private static NewBatches made(List<Open> open, String... batches) {
    return NewBatches.of(open, List.of(batches).stream().map(NewBatchesTest::words).toList(), 100);
  }

  /** Each as "host batch". */
  private static List<Open> free(String... hosts) {
    return List.of(hosts).stream()
        .map(NewBatchesTest::words)
        .map(host -> new Open(host.getFirst(), Integer.parseInt(host.getLast()), true))
        .toList();
  }

  private static List<String> words(String text) {
    return List.of(text.split(" "));
  }
}
