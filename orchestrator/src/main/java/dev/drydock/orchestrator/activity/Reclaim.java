package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.hooks.HookCourse;
import dev.drydock.orchestrator.jobs.Forward;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Publication;
import dev.drydock.orchestrator.jobs.SinceChanged;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Pursues what a lost run left, inside a transaction that holds the lock of the grant (protocol
 * P11). Hosts whose update was given to somebody are read, checked and recovered, and leave the
 * batch Upgraded; the rest of it goes back once nothing of that is open any more.
 */
final class Reclaim {
  // Its batch is in two halves then, and hooks go with the whole of it.
  private static final Reclaimed HOOKED =
      new Reclaimed.Impossible(
          "it is updated and healthy, and what hooks of its teams began is not done");

  // Hooks of BeforeDeploy would come before it is recovered.
  private static final Reclaimed FORGOTTEN =
      new Reclaimed.Impossible(
          "it is updated and healthy, but whether hooks of its teams ran was lost with the rows;"
              + " it is not recovered");

  private final Handle handle;
  private final GrantRow grant;
  private int published;

  Reclaim(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  /** How many jobs were new. */
  int published() {
    return published;
  }

  /** Whether it is known what became of the host. */
  static boolean known(Handle handle, GrantRow grant, String host) {
    if (!grant.alive() || !BatchHosts.active(handle, grant.id()).contains(host)) {
      return true;
    }
    return switch (new Reclaim(handle, grant).of(host)) {
      case Reclaimed.NotYet() -> false;
      case Reclaimed.By(JobStep step) -> step != JobStep.Verify;
      case Reclaimed.NotUpdated(), Reclaimed.Back(), Reclaimed.Impossible(String _) -> true;
    };
  }

  Progress pursue() {
    // Nobody takes them any more; also those that a silent consumer gives back later.
    Forward.cancelEffects(handle, grant);
    List<String> back = new ArrayList<>();
    // Nothing ends while a hook is with somebody.
    boolean waits = grant.hooked() && new HookCourse(handle, grant).runs();
    boolean broken = false;
    boolean others = false;
    for (String host : BatchHosts.active(handle, grant.id())) {
      switch (of(host)) {
        case Reclaimed.NotUpdated() -> others = true;
        case Reclaimed.NotYet() -> waits = true;
        case Reclaimed.By(JobStep step) -> {
          waits = true;
          Forward.cancelEarlier(handle, grant, host);
          published += Publication.anew(handle, grant, step, host);
        }
        case Reclaimed.Back() -> back.add(host);
        case Reclaimed.Impossible(String _) -> broken = true;
      }
    }
    if (waits) {
      return Progress.waiting();
    }
    back.forEach(host -> BatchEnd.returned(handle, grant, host, grant.reclaim().orElse("")));
    String lost = grant.reclaim().orElse("");
    if (broken) {
      return new Progress(Status.BROKEN, lost);
    }
    return others ? new Progress(Status.HELD, lost) : new Progress(Status.NEEDLESS, lost);
  }

  /** Hosts that can neither be left nor brought back, each with the reason. */
  Map<String, String> broken() {
    Map<String, String> broken = new LinkedHashMap<>();
    for (String host : BatchHosts.active(handle, grant.id())) {
      if (of(host) instanceof Reclaimed.Impossible(String reason)) {
        broken.put(host, grant.reclaim().orElse("") + "; " + reason);
      }
    }
    return broken;
  }

  private Reclaimed of(String host) {
    String id = grant.id();
    Optional<JobRow> recover = JobRow.last(handle, id, JobStep.Recover, host);
    Reclaimed reclaimed =
        Reclaimed.of(
            new Reclaimed.Jobs(
                JobRow.held(handle, id, host),
                JobRow.lastGiven(handle, id, JobStep.Update, host),
                JobRow.last(handle, id, JobStep.Verify, host),
                SinceChanged.health(handle, id, host),
                recover),
            grant.run(),
            grant.blind());
    // What was asked for before, after its hooks, is waited for.
    boolean recovers = recover.filter(job -> !job.ended() || job.unanswered()).isPresent();
    return switch (reclaimed) {
      case Reclaimed.By(JobStep step) when step == JobStep.Recover && grant.forgotten() ->
          FORGOTTEN;
      case Reclaimed.By(JobStep step) when step == JobStep.Recover && grant.hooked() && !recovers ->
          HOOKED;
      case Reclaimed.Back() when grant.hooked() -> HOOKED;
      default -> reclaimed;
    };
  }
}
