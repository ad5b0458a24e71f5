package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Hooks;
import dev.drydock.orchestrator.core.testkit.Repaired;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Batches whose jobs end at random, whose people answer at random, and whose runs are lost: each
 * ends, nothing is decided twice, and no end is written that was not verified.
 */
class RandomBatchTest {
  private static final int BATCHES = 3_000;
  private static final int EVENTS_MAX = 400;
  private static final List<JobStatus> ENDS =
      List.of(JobStatus.FAILED, JobStatus.UNKNOWN, JobStatus.EXPIRED);

  @Test
  void everyBatchEnds() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    System.out.println("RandomBatchTest: -Dprop.seed=" + seed);
    for (int batch = 0; batch < BATCHES; batch++) {
      Random random = new Random(seed + batch);
      BatchScript batchScript = BatchScript.of(begin(random)).decide();
      int event = 0;
      try {
        while (batchScript.end().isEmpty() && event++ < EVENTS_MAX) {
          happens(batchScript, random);
        }
      } catch (RuntimeException | AssertionError | StackOverflowError failed) {
        throw new AssertionError(
            "-Dprop.seed=" + (seed + batch) + " " + batchScript.rounds(), failed);
      }
      assertThat(batchScript.end())
          .as(
              "-Dprop.seed=%d waits for %s: %s",
              seed + batch, batchScript.waitsFor(), batchScript.rounds())
          .isPresent();
      assertThat(batchScript.offered()).as("-Dprop.seed=%d", seed + batch).isEmpty();
    }
  }

  private static Batches begin(Random random) {
    String[] hosts = random.nextBoolean() ? new String[] {"a1"} : new String[] {"a1", "a2", "a3"};
    Batches batch = Batches.of(hosts).onHostFailure(any(random, OnHostFailure.values()));
    LateDrain late =
        new LateDrain(
            any(random, LateDrain.Way.values()), Duration.ofMinutes(10), Duration.ofHours(1));
    for (String host : hosts) {
      batch.host(host, one -> one.drain(new DrainTerms(Duration.ofMinutes(20), late)));
      if (random.nextBoolean()) {
        batch.host(host, one -> one.returnsTo("1").ladder(Rung.values()));
      }
      if (random.nextInt(10) == 0) {
        batch.host(host, one -> one.seemsDone());
      }
      batch.runs("web", host);
    }
    if (random.nextInt(3) == 0) {
      var move = Hooks.pre("move", Stage.BEFORE_UNDEPLOY, any(random, Scope.values()), 1);
      var fence = Hooks.pre("fence", Stage.AFTER_UNDEPLOY, any(random, Scope.values()), 0);
      batch.wants(Hooks.policy("web", move, fence, Hooks.post(move), Hooks.post(fence)));
    }
    return batch;
  }

  private static void happens(BatchScript batchScript, Random random) {
    if (random.nextInt(60) == 0) {
      batchScript.anotherRun();
    } else if (random.nextInt(150) == 0 && batchScript.now().grant().reclaim().isEmpty()) {
      batchScript.reclaimed();
    } else if (random.nextInt(150) == 0 && batchScript.now().aborted().isEmpty()) {
      batchScript.meanwhile(batch -> batch.aborting("aborted by rob")).decide();
    } else if (!batchScript.offered().isEmpty()) {
      ends(batchScript, any(random, batchScript.offered().toArray(String[]::new)), random);
    } else if (batchScript.now().checks().stream().anyMatch(Check::requested)) {
      if (random.nextInt(8) == 0) {
        batchScript.held("too few up");
      } else {
        batchScript.granted();
      }
    } else {
      answered(batchScript, random);
    }
  }

  private static void ends(BatchScript batchScript, String name, Random random) {
    if (random.nextInt(8) == 0) {
      batchScript.claimed(name);
    } else if (random.nextInt(20) == 0) {
      batchScript.untaken(name);
    } else if (random.nextInt(5) == 0) {
      batchScript.end(name, any(random, ENDS.toArray(JobStatus[]::new)), "");
    } else if (name.startsWith("Hook") && random.nextInt(10) == 0) {
      batchScript.end(name, random.nextBoolean() ? JobStatus.WAITED : JobStatus.VETOED, "not now");
    } else if (name.startsWith("Diagnose")) {
      Repaired.diagnosed(
          batchScript,
          name.substring(name.indexOf(' ') + 1),
          "read",
          Map.of("diagnosis.reachable", String.valueOf(random.nextInt(4) > 0)));
    } else {
      batchScript.done(name);
    }
  }

  private static void answered(BatchScript batchScript, Random random) {
    Optional<Decision> failure = open(batchScript, Kind.BLOCKED_BATCH);
    if (failure.isPresent()) {
      var question = FailureAnswerRule.Question.of(batchScript.now(), failure.get());
      batchScript.answer(
          any(
              random,
              Stream.of(Option.RETRY, Option.GO_ON, Option.ABORT)
                  .filter(answer -> FailureAnswerRule.impossible(question, answer).isEmpty())
                  .toArray(Option[]::new)));
    } else if (open(batchScript, Kind.LATE_DRAIN).isPresent() && random.nextBoolean()) {
      batchScript.answer(
          any(random, Option.WAIT, Option.FORCE, Option.REVERT, Option.REQUEUE, Option.QUARANTINE));
    } else {
      batchScript.later(Duration.ofMinutes(7));
    }
  }

  private static Optional<Decision> open(BatchScript batchScript, Kind kind) {
    return batchScript.decisions(kind).stream().filter(Decision::open).findFirst();
  }

  @SafeVarargs
  private static <T> T any(Random random, T... values) {
    return values[random.nextInt(values.length)];
  }
}
