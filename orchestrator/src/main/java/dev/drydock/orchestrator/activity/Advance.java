package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Takes a batch forward inside one transaction that holds the lock of its grant: where a phase is
 * done, the jobs of the next are published in the same transaction.
 *
 * <p>It stops, done, where policies are to be read first, which is not for transactions: after the
 * freeze, from which on hooks are fixed, and before the drain.
 */
final class Advance {
  private Advance() {}

  /**
   * From a phase on; stages of hooks are passed by where there are none.
   *
   * @param drains what policies say of the drain; only needed where that is the first phase
   */
  static Reached from(Handle handle, GrantRow grant, Phase first, Map<String, DrainTerms> drains) {
    BatchPhases phases = new BatchPhases(handle, grant, drains);
    Reached reached = unlessHookless(handle, grant, phases, first);
    while (reached.goesOn() && !stops(reached.phase())) {
      if (reached.phase() == Phase.VERIFY) {
        // Hosts found to be on the release are no longer among those it works on.
        phases = new BatchPhases(handle, grant, drains);
      }
      reached = unlessHookless(handle, grant, phases, reached.phase().next().orElseThrow());
    }
    return reached;
  }

  /** One phase alone. */
  static Reached only(Handle handle, GrantRow grant, Phase phase, Map<String, DrainTerms> drains) {
    return pursue(handle, new BatchPhases(handle, grant, drains), phase);
  }

  private static Reached unlessHookless(
      Handle handle, GrantRow grant, BatchPhases phases, Phase phase) {
    return phase.ofHooks() && !grant.hooked()
        ? new Reached(phase, Progress.done())
        : pursue(handle, phases, phase);
  }

  private static Reached pursue(Handle handle, BatchPhases phases, Phase phase) {
    int before = phases.published();
    Reached reached = new Reached(phase, phases.pursue(phase));
    CrashPoint.reach(phase.point("writing"));
    boolean published = phases.published() > before;
    handle.afterCommit(
        () -> {
          CrashPoint.reach(phase.point("written"));
          if (published) {
            CrashPoint.reach("after-job-published");
          }
        });
    return reached;
  }

  private static boolean stops(Phase done) {
    return done == Phase.FREEZE || done.next().equals(Optional.of(Phase.DRAIN));
  }
}
