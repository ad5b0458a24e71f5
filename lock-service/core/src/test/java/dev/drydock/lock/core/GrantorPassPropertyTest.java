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
    LockModel lockModel = new LockModel(random);
    lockModel.budget = 1 + random.nextInt(lockModel.hosts.size());
    Judge judge = new Judge(lockModel, BACKFILL);
    for (int step = 0; step < 60; step++) {
      for (int i = random.nextInt(5); i > 0; i--) {
        switch (random.nextInt(18)) {
          case 0, 1 -> lockModel.enqueue(Mode.TRY);
          case 2, 3 -> lockModel.enqueue(Mode.WAIT);
          case 4, 5 -> lockModel.want();
          case 6 -> lockModel.die();
          case 7, 8 -> lockModel.release();
          case 9 -> lockModel.quarantine();
          case 10 -> lockModel.repair();
          case 11, 12 -> lockModel.hold();
          case 13 -> lockModel.comeBack();
          case 14, 15 -> lockModel.enqueueBounded();
          case 16 -> lockModel.abandon();
          default -> lockModel.observe();
        }
      }
      lockModel.now = lockModel.now.plusSeconds(random.nextInt(10));
      lockModel.expire();
      pass(lockModel, judge, decider);
      judge.after();
    }
  }

  /**
   * Every lock ends or lapses in time, so whoever is first in the queue gets its turn however many
   * arrive.
   */
  private static void liveness(Random random, Decider decider) {
    LockModel lockModel = new LockModel(random);
    Judge judge = new Judge(lockModel, BACKFILL);
    Map<String, Integer> age = new HashMap<>();
    for (int step = 0; step < 60; step++) {
      lockModel.enqueue(Mode.WAIT);
      if (random.nextInt(3) == 0) {
        lockModel.want();
      }
      lockModel.now = lockModel.now.plusSeconds(15);
      pass(lockModel, judge, decider);
      for (String lock :
          lockModel.locks.values().stream().map(LockRecord::id).distinct().toList()) {
        if (age.merge(lock, 1, Integer::sum) > 2) {
          if (lockModel.alive.contains(lock) && random.nextBoolean()) {
            lockModel.dies(lock);
          } else if (!lockModel.dead(lock)) {
            lockModel.end(lock);
          }
        }
      }
      lockModel.tickets.values().stream()
          .min(Ticket.ORDER)
          .ifPresent(
              first ->
                  assertThat(age.merge(first.id() + " first", 1, Integer::sum))
                      .as("LIVENESS: passes %s is the oldest and waits", first)
                      .isLessThanOrEqualTo(6));
    }
  }

  private static void pass(LockModel lockModel, Judge judge, Decider decider) {
    Input input =
        new Input(
            lockModel.table(),
            lockModel.pending(),
            List.of(),
            lockModel.now,
            lockModel.witnessed(),
            lockModel.abandoned);
    judge.begin();
    for (GrantorDecision decision : decider.decide(input, lockModel.round(), LIMITS)) {
      judge.before(decision);
      lockModel.apply(decision);
    }
  }
}
