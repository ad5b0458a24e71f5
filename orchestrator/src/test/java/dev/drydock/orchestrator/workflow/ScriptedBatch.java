package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.BatchActivitiesImpl;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Activities of a batch that answer as told and write down what was asked. Safe for use by many
 * threads.
 */
final class ScriptedBatch implements BatchActivities {
  private final Deque<DriveResult> looks = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final CountDownLatch waited = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean over;
  private BooleanSupplier away = () -> false;
  private boolean taken;
  private Runnable meanwhile = () -> {};

  /** After the first looks the batch rests so long, one after the other; the next ends it. */
  ScriptedBatch rests(Duration... rests) {
    for (Duration rest : rests) {
      looks.add(new DriveResult(false, rest));
    }
    return this;
  }

  /** An earlier run wrote the end of the batch. */
  ScriptedBatch over() {
    over = true;
    return this;
  }

  /** The first call fails so long, as it would while PostgreSQL is away. */
  ScriptedBatch failsWhile(BooleanSupplier absence) {
    away = absence;
    return this;
  }

  /** Another run has the batch when this one looks at it. */
  ScriptedBatch takenOver() {
    taken = true;
    return this;
  }

  /** What happens during the first look. */
  ScriptedBatch meanwhile(Runnable happens) {
    meanwhile = happens;
    return this;
  }

  synchronized List<String> asked() {
    return List.copyOf(asked);
  }

  /** Blocks until some look was told to rest. */
  boolean waited() throws InterruptedException {
    return waited.await(20, TimeUnit.SECONDS);
  }

  /** Blocks until the hold is ended, but no longer than some seconds of true time. */
  boolean ended() throws InterruptedException {
    return ended.await(20, TimeUnit.SECONDS);
  }

  @Override
  public synchronized BatchRun begin(String grant, String runKey) {
    if (away.getAsBoolean()) {
      throw ApplicationFailure.newFailure("PostgreSQL is away", "Unavailable");
    }
    asked.add("begin " + grant);
    return new BatchRun(grant, 1, over);
  }

  @Override
  public synchronized DriveResult drive(BatchRun run) {
    asked.add("drive");
    if (taken) {
      throw ApplicationFailure.newNonRetryableFailure(
          "run 2 has the batch", BatchActivitiesImpl.STALE_RUN);
    }
    meanwhile.run();
    meanwhile = () -> {};
    if (looks.isEmpty()) {
      return new DriveResult(true, Duration.ZERO);
    }
    waited.countDown();
    return looks.remove();
  }

  @Override
  public synchronized void endHold(String grant) {
    asked.add("end hold");
    ended.countDown();
  }
}
