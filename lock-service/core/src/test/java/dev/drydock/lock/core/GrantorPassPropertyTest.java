package dev.drydock.lock.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * SAFETY and LIVENESS of the pass over random histories, and the same properties catching planted
 * bugs.
 */
class GrantorPassPropertyTest {
  /** Of {@code make test}; {@code make test-full} does four times as many. */
  private static final int RUNS = 100;

  private static final int TRIES = 400;
  private static final Backfill BACKFILL =
      new Backfill(Duration.ofSeconds(60), Duration.ofSeconds(2));
  private static final Limits LIMITS =
      new Limits(32, 64, 1000, Limits.DEFAULT.refreshBelow(), BACKFILL);

  @Test
  void keepsOrderBudgetAndExclusion() {
    Prop.check("safety", RUNS, random -> safety(random, Decider.REAL));
  }

  @Test
  void starvesNobodyWithoutAdmission() {
    Prop.check("liveness", RUNS, random -> liveness(random, Decider.REAL));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.drydock.lock.core.PlantedDeciders#bugs")
  void catchesPlantedBug(String name, String property, Decider planted) {
    Consumer<Random> safety = random -> safety(random, planted);
    Consumer<Random> liveness = random -> liveness(random, planted);

    // A few of both first: where a bug shows at all, it mostly shows soon.
    boolean caught =
        Stream.of(TRIES / 20, TRIES)
            .anyMatch(
                tries ->
                    Prop.finds(property, tries, safety) || Prop.finds(property, tries, liveness));

    assertThat(caught).as("%s fails with the bug '%s'", property, name).isTrue();
  }

  /** Everything at random, deaths and quarantines and turned back batches and a budget included. */
  private static void safety(Random random, Decider decider) {
    World world = new World(random);
    world.budget = 1 + random.nextInt(world.hosts.size());
    Judge judge = new Judge(world, BACKFILL);
    for (int step = 0; step < 60; step++) {
      for (int i = random.nextInt(5); i > 0; i--) {
        switch (random.nextInt(18)) {
          case 0, 1 -> world.enqueue(Mode.TRY);
          case 2, 3 -> world.enqueue(Mode.WAIT);
          case 4, 5 -> world.want();
          case 6 -> world.die();
          case 7, 8 -> world.release();
          case 9 -> world.quarantine();
          case 10 -> world.repair();
          case 11, 12 -> world.hold();
          case 13 -> world.comeBack();
          case 14, 15 -> world.enqueueBounded();
          case 16 -> world.abandon();
          default -> world.observe();
        }
      }
      world.now = world.now.plusSeconds(random.nextInt(10));
      world.expire();
      pass(world, judge, decider);
      judge.after();
    }
  }

  /**
   * Every lock ends or lapses in time, so whoever is first in the queue gets its turn however many
   * arrive.
   */
  private static void liveness(Random random, Decider decider) {
    World world = new World(random);
    Judge judge = new Judge(world, BACKFILL);
    Map<String, Integer> age = new HashMap<>();
    for (int step = 0; step < 60; step++) {
      world.enqueue(Mode.WAIT);
      if (random.nextInt(3) == 0) {
        world.want();
      }
      world.now = world.now.plusSeconds(15);
      pass(world, judge, decider);
      for (String lock : world.locks.values().stream().map(LockRecord::id).distinct().toList()) {
        if (age.merge(lock, 1, Integer::sum) > 2) {
          if (world.alive.contains(lock) && random.nextBoolean()) {
            world.dies(lock);
          } else if (!world.dead(lock)) {
            world.end(lock);
          }
        }
      }
      world.tickets.values().stream()
          .min(Ticket.ORDER)
          .ifPresent(
              first ->
                  assertThat(age.merge(first.id() + " first", 1, Integer::sum))
                      .as("LIVENESS: passes %s is the oldest and waits", first)
                      .isLessThanOrEqualTo(6));
    }
  }

  private static void pass(World world, Judge judge, Decider decider) {
    Input input =
        new Input(
            world.table(),
            world.pending(),
            List.of(),
            world.now,
            world.witnessed(),
            world.abandoned);
    judge.begin();
    for (Decision decision : decider.decide(input, world.round(), LIMITS)) {
      judge.before(decision);
      world.apply(decision);
    }
  }
}
