package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.activity.Reached;
import io.temporal.failure.ApplicationFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Activities of a batch that answer as told and write down what was asked. Safe for use by many
 * threads.
 */
final class ScriptedBatch implements BatchActivities {
  private final Map<Phase, Deque<Progress>> answers = new EnumMap<>(Phase.class);
  private final List<String> asked = new ArrayList<>();
  private final CountDownLatch waited = new CountDownLatch(1);
  private BatchRun run = new BatchRun("g1", 1, false, false, false);
  private boolean hooked;
  private int left = 1;
  private BooleanSupplier away = () -> false;
  private boolean taken;

  /** The answers of a phase, one after the other; the last one stays. Without any it is done. */
  ScriptedBatch answer(Phase phase, Status... statuses) {
    Deque<Progress> script = new ArrayDeque<>();
    for (Status status : statuses) {
      script.add(new Progress(status, status == Status.DONE ? "" : phase + " said " + status));
    }
    answers.put(phase, script);
    return this;
  }

  /** Teams run hooks around its work. */
  ScriptedBatch hooked() {
    hooked = true;
    answers.put(Phase.FREEZE, new ArrayDeque<>(List.of(new Progress(Status.DONE, "", true))));
    return this;
  }

  /** What an earlier run left. */
  ScriptedBatch begins(BatchRun found) {
    run = found;
    return this;
  }

  /** How many hosts a quarantine leaves in the batch. */
  ScriptedBatch quarantineLeaves(int hosts) {
    left = hosts;
    return this;
  }

  /** The first call fails so long, as it would while PostgreSQL is away. */
  ScriptedBatch failsWhile(BooleanSupplier absence) {
    away = absence;
    return this;
  }

  /** Another run has the batch when this one looks at its phases. */
  ScriptedBatch takenOver() {
    taken = true;
    return this;
  }

  synchronized List<String> asked() {
    return List.copyOf(asked);
  }

  /** Blocks until some phase was told to wait. */
  boolean waited() throws InterruptedException {
    return waited.await(20, TimeUnit.SECONDS);
  }

  @Override
  public synchronized BatchRun begin(String grant, String runKey) {
    if (away.getAsBoolean()) {
      throw ApplicationFailure.newFailure("PostgreSQL is away", "Unavailable");
    }
    asked.add("begin " + grant);
    return run;
  }

  @Override
  public synchronized Progress pursue(BatchRun batch, Phase phase) {
    Deque<Progress> script = answers.get(phase);
    Progress progress =
        script == null
            ? new Progress(Status.DONE, "")
            : script.size() > 1 ? script.remove() : script.element();
    if (progress.status() == Status.WAITING) {
      waited.countDown();
    }
    asked.add(phase.name());
    if (taken) {
      throw ApplicationFailure.newNonRetryableFailure("run 2 has the batch", "StaleRun");
    }
    return progress;
  }

  @Override
  public synchronized Reached advance(BatchRun batch, Phase first) {
    Phase phase = first;
    while (true) {
      boolean passedBy = phase.ofHooks() && !hooked;
      Progress progress = passedBy ? new Progress(Status.DONE, "") : pursue(batch, phase);
      if (progress.status() != Status.DONE || phase.next().isEmpty()) {
        return new Reached(phase, progress);
      }
      phase = phase.next().get();
    }
  }

  @Override
  public synchronized void turnBack(BatchRun batch, Progress because) {
    asked.add("turn back: " + because.reason());
  }

  @Override
  public synchronized int quarantine(BatchRun batch, Phase phase) {
    asked.add("quarantine " + phase);
    return left;
  }

  @Override
  public synchronized void recordEnd(BatchRun batch) {
    asked.add("record end");
  }

  @Override
  public synchronized void endHold(String grant) {
    asked.add("end hold");
  }
}
