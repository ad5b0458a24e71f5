package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.core.model.DrainTerms;
import dev.drydock.orchestrator.drain.LateBatch;
import dev.drydock.orchestrator.drain.LateBatch.Decision;
import dev.drydock.orchestrator.drain.LateBatches;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Publication;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.CheckStore;
import dev.drydock.orchestrator.store.GrantRow;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * What becomes of a batch whose Drains ended without all of its hosts drained, inside a transaction
 * that holds the lock of its grant:
 *
 * <ol>
 *   <li>The policies say, or people, who are asked once and reminded; nobody in time is a Requeue.
 *   <li>Revert and Requeue turn the batch back; Quarantine keeps its late hosts aside, and the
 *       others go on.
 *   <li>Who goes on, by waiting longer or by force, passes the open check once more first: since
 *       the last one an hour may have gone by. Then the late hosts are drained in a new round.
 * </ol>
 */
final class LateDrains {
  private final Handle handle;
  private final GrantRow grant;
  private final Map<String, DrainTerms> terms;
  private int published;

  LateDrains(Handle handle, GrantRow grant, Map<String, DrainTerms> terms) {
    this.handle = handle;
    this.grant = grant;
    this.terms = terms;
  }

  /** How many jobs were new. */
  int published() {
    return published;
  }

  /** Of the last rounds of all Drains of the batch, which have ended and lost no host. */
  Progress settle(List<JobRow> drains) {
    List<JobRow> late = late(drains);
    LateBatch row =
        LateBatches.look(
            handle,
            grant,
            LateBatches.of(
                handle, grant, new LateBatches.Cause(late, timeout(late)), policy(late)));
    if (row.decided().isEmpty()) {
      return Progress.waiting();
    }
    LateBatch.Decided decided = row.decided().get();
    String reason = row.says() + (row.way().asks() ? "; " + decided.says() : "");
    return switch (decided.decision()) {
      case REVERT -> new Progress(Status.FAILED, reason);
      case REQUEUE -> new Progress(Status.HELD, reason);
      case QUARANTINE -> new Progress(Status.ASIDE, reason);
      case WAIT -> again(row, late, false);
      case FORCE -> again(row, late, true);
    };
  }

  /** Hosts whose last Drain ended late: another round of it is decided here, by nobody else. */
  static Set<String> hosts(Handle handle, GrantRow grant) {
    return LateBatches.last(handle, grant.id()).stream()
        .flatMap(row -> row.jobs().stream())
        .flatMap(job -> JobRow.ifLast(handle, job).stream())
        .map(JobRow::host)
        .collect(Collectors.toSet());
  }

  /** The late hosts that are to be kept aside, each with the reason. */
  static Map<String, String> aside(Handle handle, GrantRow grant, List<JobRow> drains) {
    Map<String, String> aside = new HashMap<>();
    LateBatches.last(handle, grant.id())
        .filter(
            row ->
                row.decided().map(LateBatch.Decided::decision).stream()
                    .anyMatch(Decision.QUARANTINE::equals))
        .ifPresent(
            row ->
                late(drains).stream()
                    .filter(job -> row.jobs().contains(job.id()))
                    .forEach(job -> aside.put(job.host(), row.says())));
    return aside;
  }

  private static List<JobRow> late(List<JobRow> drains) {
    return drains.stream().filter(job -> job.state() != JobState.Done).toList();
  }

  private Progress again(LateBatch row, List<JobRow> late, boolean force) {
    CheckStore.Latest open = CheckStore.latest(handle, grant.id(), Check.Kind.OPEN).orElseThrow();
    boolean asked = open.state().equals("requested");
    boolean since = open.round() > row.openRound();
    if (!since && !asked) {
      CheckStore.ask(handle, grant, Check.Kind.OPEN);
      return Progress.waiting();
    }
    if (open.refusal().isPresent()) {
      return new Progress(Status.HELD, open.refusal().get());
    }
    if (asked || !since) {
      return Progress.waiting();
    }
    for (JobRow job : late) {
      Publication.drainAgain(handle, grant, job.host(), terms(job.host()).timeout(), force);
      published++;
    }
    BatchHosts.says(handle, grant.id(), row.hosts(), "");
    return Progress.waiting();
  }

  private LateDrain policy(List<JobRow> late) {
    return LateDrain.strictest(late.stream().map(job -> terms(job.host()).late()).toList());
  }

  private Duration timeout(List<JobRow> late) {
    return late.stream()
        .map(job -> terms(job.host()).timeout())
        .max(Duration::compareTo)
        .orElseThrow();
  }

  private DrainTerms terms(String host) {
    DrainTerms known = terms.get(host);
    if (known == null) {
      throw new IllegalStateException("nobody asked the policies about host " + host);
    }
    return known;
  }
}
