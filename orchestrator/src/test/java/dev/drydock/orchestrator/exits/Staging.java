package dev.drydock.orchestrator.exits;

import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Verdict;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.World;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings hosts to a phase and keeps them there, each in a rollout of its own, while the others go
 * on. Safe for use by many threads.
 */
final class Staging implements World.Staging {
  private final Map<String, Phase> kept = new ConcurrentHashMap<>();
  private final Map<String, JobOutcome> outcomes = new ConcurrentHashMap<>();
  private final Map<String, Phase> refused = new ConcurrentHashMap<>();

  /** A new host that is in the phase and goes no further; answers its rollout. */
  String bring(Harbour harbour, Phase phase, String host) {
    prepare(harbour, phase, host);
    kept.put(host, phase);
    String rollout = harbour.submitAgain(host);
    harbour.until(() -> isIn(harbour, phase, host));
    return rollout;
  }

  /** What leads a host to a phase that is not on everybody's way. */
  void prepare(Harbour harbour, Phase phase, String host) {
    harbour.fleet().host(host);
    switch (phase) {
      // Who seems to be on the release already is read first.
      case VERIFY ->
          harbour.fleet().execute("UPDATE hosts SET release = '2' WHERE name = '" + host + "'");
      case UNDO -> outcomes.put(JobStep.Drain + " " + host, JobOutcome.Failed);
      case FREEZE, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER -> {}
    }
  }

  /** How the work of the phase ends on the host. */
  void fails(Phase phase, String host, JobOutcome outcome) {
    step(phase)
        .ifPresentOrElse(
            step -> outcomes.put(step + " " + host, outcome), () -> refused.put(host, phase));
  }

  /** The host goes on. */
  void letGo(String host) {
    kept.remove(host);
    refused.remove(host);
  }

  /** The work of the phase; nobody's where the grantor looks. */
  static Optional<JobStep> step(Phase phase) {
    return switch (phase) {
      case VERIFY -> Optional.of(JobStep.Verify);
      case FREEZE -> Optional.of(JobStep.Freeze);
      case DRAIN -> Optional.of(JobStep.Drain);
      case UPDATE -> Optional.of(JobStep.Update);
      case HEALTH -> Optional.of(JobStep.Health);
      case RECOVER, UNDO -> Optional.of(JobStep.Recover);
      case CONFIRM, OPEN -> Optional.empty();
    };
  }

  private static boolean isIn(Harbour harbour, Phase phase, String host) {
    String waiting =
        step(phase)
            .map(
                step ->
                    "SELECT count(*) FROM jobs WHERE state = 'Pending' AND step = '%s' AND host = '%s'"
                        .formatted(step, host))
            .orElse(
                """
                SELECT count(*) FROM checks c JOIN grants g ON g.id = c.grant_id
                WHERE c.state = 'requested' AND upper(c.kind) = '%s' AND '%s' = ANY(g.hosts)
                """
                    .formatted(phase, host));
    return harbour.fleet().value(waiting).equals("1");
  }

  @Override
  public boolean waits(Job job) {
    Phase phase = kept.get(job.getHost());
    return phase != null && step(phase).filter(job.getStep()::equals).isPresent();
  }

  @Override
  public Optional<JobOutcome> outcome(Job job) {
    return Optional.ofNullable(outcomes.get(job.getStep() + " " + job.getHost()));
  }

  @Override
  public boolean waits(Check check) {
    return check.hosts().stream().anyMatch(host -> kept.get(host) == phase(check));
  }

  @Override
  public Optional<Verdict> verdict(Check check) {
    return check.hosts().stream().anyMatch(host -> refused.get(host) == phase(check))
        ? Optional.of(Fleet.HOLD)
        : Optional.empty();
  }

  private static Phase phase(Check check) {
    return switch (check.kind()) {
      case CONFIRM -> Phase.CONFIRM;
      case OPEN -> Phase.OPEN;
    };
  }
}
