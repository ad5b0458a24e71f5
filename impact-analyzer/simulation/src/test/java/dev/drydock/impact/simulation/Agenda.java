package dev.drydock.impact.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Virtual time: what is to happen, and when. The same seed gives the same history. */
final class Agenda {
  private static final Comparator<Event> ORDER =
      Comparator.comparing(Event::at).thenComparingLong(Event::number);

  private final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>(ORDER);
  private final Instant begin;
  private Instant now;
  private long numbers;
  private long steps;

  Agenda(Random random, Instant begin) {
    this.random = random;
    this.begin = begin;
    now = begin;
  }

  private record Event(Instant at, long number, Runnable what) {}

  Instant now() {
    return now;
  }

  /** How many events there were. */
  long step() {
    return steps;
  }

  double elapsed() {
    return Duration.between(begin, now).toMillis() / 1000.0;
  }

  void in(double seconds, Runnable what) {
    events.add(new Event(now.plusMillis((long) (seconds * 1000)), numbers++, what));
  }

  /** Again and again, with a pause between the two bounds, for as long as the condition holds. */
  void every(double least, double most, BooleanSupplier goesOn, Runnable what) {
    in(
        between(least, most),
        () -> {
          if (goesOn.getAsBoolean()) {
            what.run();
            every(least, most, goesOn, what);
          }
        });
  }

  /** Lets time pass until {@code over}, or for so many seconds. */
  void run(double seconds, BooleanSupplier over) {
    while (!over.getAsBoolean() && elapsed() < seconds && !events.isEmpty()) {
      Event next = events.remove();
      now = next.at();
      steps++;
      next.what().run();
    }
  }

  double between(double least, double most) {
    return least + random.nextDouble() * (most - least);
  }

  int whole(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
