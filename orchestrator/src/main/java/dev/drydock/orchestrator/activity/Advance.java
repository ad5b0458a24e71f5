package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.hooks.BatchHooks;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.proto.crash.CrashPoint;
import org.jdbi.v3.core.Handle;

/**
 * Takes batches forward, each inside one transaction that holds the lock of its grant: where a
 * phase is done, the next is pursued in the same transaction. Safe for use by many threads.
 */
final class Advance {
  private final BatchPolicies policies;

  Advance(BatchPolicies policies) {
    this.policies = policies;
  }

  /** From a phase on; stages of hooks are passed by where there are none. */
  Reached from(Handle handle, GrantRow grant, Phase first) {
    GrantRow row = grant;
    BatchPhases phases = phases(handle, row);
    Reached reached = unlessHookless(handle, row, phases, first);
    while (reached.goesOn()) {
      if (reached.phase() == Phase.VERIFY) {
        // Hosts found to be on the release are no longer among those it works on.
        phases = phases(handle, row);
      } else if (reached.progress().hooked()) {
        row = GrantRow.lock(handle, row.id());
        phases = phases(handle, row);
      }
      reached = unlessHookless(handle, row, phases, reached.phase().next().orElseThrow());
    }
    return reached;
  }

  /** One phase alone. */
  Reached only(Handle handle, GrantRow grant, Phase phase) {
    return pursue(handle, grant, phases(handle, grant), phase);
  }

  private BatchPhases phases(Handle handle, GrantRow grant) {
    return new BatchPhases(handle, grant, policies);
  }

  private Reached unlessHookless(Handle handle, GrantRow grant, BatchPhases phases, Phase phase) {
    return phase.ofHooks() && !grant.hooked()
        ? new Reached(phase, Progress.done())
        : pursue(handle, grant, phases, phase);
  }

  private Reached pursue(Handle handle, GrantRow grant, BatchPhases phases, Phase phase) {
    int before = phases.published();
    Progress progress = phases.pursue(phase);
    if (phase == Phase.FREEZE && frozen(progress)) {
      progress = hooked(handle, grant, progress);
    }
    CrashPoint.reach(phase.point("writing"));
    boolean published = phases.published() > before;
    handle.afterCommit(
        () -> {
          CrashPoint.reach(phase.point("written"));
          if (published) {
            CrashPoint.reach("after-job-published");
          }
        });
    return new Reached(phase, progress);
  }

  private static boolean frozen(Progress progress) {
    return progress.status() == Status.DONE || progress.status() == Status.ASIDE;
  }

  /**
   * From here on nothing is placed on the hosts any more: what policies want to be run around the
   * work on them is written down, once.
   */
  private Progress hooked(Handle handle, GrantRow grant, Progress progress) {
    return new Progress(
        progress.status(),
        progress.reason(),
        BatchHooks.write(
            handle, grant, AtRelease.others(handle, grant.id()), policies.now().hooks()));
  }
}
