package dev.drydock.orchestrator.exits;

import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Verdict;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings hosts to a phase and keeps them there, each in a rollout of its own, while the others go
 * on. Safe for use by many threads.
 */
final class Staging implements SimulatedConsumers.Staging {
  private static final String HOOKED = "hooked";

  /** Seconds after which nobody waits for a check any more. */
  private static final int CHECK_TOO_LATE = 240;

  private static final PolicyHook LEAVE =
      HookBench.pre("leave", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0);
  private static final PolicyHook STOP = HookBench.pre("stop", Stage.AFTER_UNDEPLOY, Scope.HOST, 0);

  /** One in each stage. */
  private static final List<PolicyHook> HOOKS =
      List.of(LEAVE, STOP, HookBench.post(STOP), HookBench.post(LEAVE));

  /** What is done on a host with them. */
  static final List<String> WITH_HOOKS =
      List.of(
          "Cordon",
          "Hook:BeforeUndeploy",
          "Drain",
          "Hook:AfterUndeploy",
          "Update",
          "Health",
          "Hook:BeforeDeploy",
          "Recover",
          "Hook:AfterDeploy");

  private final Map<String, Set<Phase>> kept = new ConcurrentHashMap<>();
  private final Map<String, JobOutcome> outcomes = new ConcurrentHashMap<>();
  private final Map<String, Phase> refused = new ConcurrentHashMap<>();

  /** A new host that is in the phase and goes no further; answers its rollout. */
  String bring(RestartableRoom restartableRoom, Phase phase, String host) {
    prepare(restartableRoom, phase, host);
    kept.put(host, phase == Phase.RECLAIM ? Set.of(Phase.HEALTH, phase) : Set.of(phase));
    String rollout = restartableRoom.submitAgain(host);
    if (phase == Phase.RECLAIM) {
      loseRun(restartableRoom, rollout, host);
    }
    restartableRoom.until(() -> isIn(restartableRoom, phase, host));
    return rollout;
  }

  /** After the update. What the run had asked for is nobody's until somebody looks after it. */
  private void loseRun(RestartableRoom restartableRoom, String rollout, String host) {
    restartableRoom.until(() -> isIn(restartableRoom, Phase.HEALTH, host));
    restartableRoom.terminate("batch/" + restartableRoom.host(rollout, host).getGrant());
  }

  /** What leads a host to a phase that is not on everybody's way. */
  void prepare(RestartableRoom restartableRoom, Phase phase, String host) {
    restartableRoom.fleet().host(host);
    switch (phase) {
      // Who seems to be on the release already is read first.
      case VERIFY ->
          restartableRoom
              .fleet()
              .execute("UPDATE hosts SET release = '2' WHERE name = '" + host + "'");
      case UNDO -> outcomes.put(JobStep.Drain + " " + host, JobOutcome.Failed);
      case CORDON, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER, RECLAIM -> {}
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> {
        restartableRoom.fleet().instance(HOOKED, host);
        restartableRoom.fleet().wanted =
            List.of(new HookPolicy(new Source(HOOKED, 1, "web-team"), Set.of(HOOKED), HOOKS));
      }
    }
  }

  /** How the work of the phase ends on the host. */
  void fails(Phase phase, String host, JobOutcome outcome) {
    work(phase)
        .ifPresentOrElse(
            work -> outcomes.put(work + " " + host, outcome), () -> refused.put(host, phase));
  }

  /** The host goes on, as ever it was to go on. */
  void letGoOn(String host) {
    kept.remove(host);
  }

  /** The host goes on, and nothing is refused there any more. */
  void letGo(String host) {
    letGoOn(host);
    refused.remove(host);
  }

  /** The work of the phase; nobody's where the grantor looks. */
  static Optional<JobStep> step(Phase phase) {
    return switch (phase) {
      case VERIFY, RECLAIM -> Optional.of(JobStep.Verify);
      case CORDON -> Optional.of(JobStep.Cordon);
      case DRAIN -> Optional.of(JobStep.Drain);
      case UPDATE -> Optional.of(JobStep.Update);
      case HEALTH -> Optional.of(JobStep.Health);
      case RECOVER, UNDO -> Optional.of(JobStep.Recover);
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY ->
          Optional.of(JobStep.Hook);
      case CONFIRM, OPEN -> Optional.empty();
    };
  }

  /** The same as consumers see it. */
  private static Optional<String> work(Phase phase) {
    return step(phase)
        .map(
            step ->
                phase.ofHooks() ? step + ":" + Stage.valueOf(phase.name()).word() : step.name());
  }

  /** The time of what the host waits for is over. */
  static void tooLate(RestartableRoom restartableRoom, String host) {
    restartableRoom.fleet().workAsIf.late(waiting(restartableRoom, host));
    batches(restartableRoom, host)
        .forEach(grant -> restartableRoom.fleet().workAsIf.asked(grant, CHECK_TOO_LATE));
    wake(restartableRoom, host);
  }

  /** The board has given up on all who had the job of the host. */
  static void fellSilent(RestartableRoom restartableRoom, String host) {
    waiting(restartableRoom, host)
        .forEach(job -> restartableRoom.fleet().workAsIf.expired(job.id(), 3));
    wake(restartableRoom, host);
  }

  private static void wake(RestartableRoom restartableRoom, String host) {
    batches(restartableRoom, host).forEach(restartableRoom.fleet().asIf::woken);
  }

  private static List<String> batches(RestartableRoom restartableRoom, String host) {
    return restartableRoom.rows().batches().stream()
        .filter(batch -> batch.hosts().contains(host))
        .map(Row.Batch::id)
        .toList();
  }

  /** The jobs of a host that nobody has. */
  private static List<Row.Job> waiting(RestartableRoom restartableRoom, String host) {
    return restartableRoom.rows().jobs().stream()
        .filter(job -> job.host().equals(host) && job.state() == JobState.Pending)
        .toList();
  }

  private static boolean isIn(RestartableRoom restartableRoom, Phase phase, String host) {
    Optional<String> work = work(phase);
    if (work.isPresent()) {
      return waiting(restartableRoom, host).stream().anyMatch(job -> work.get().equals(work(job)));
    }
    List<String> batches = batches(restartableRoom, host);
    return restartableRoom.rows().checks(phase.name().toLowerCase(Locale.ROOT)).stream()
        .anyMatch(check -> batches.contains(check.grant()) && check.state().equals("requested"));
  }

  /** As {@link SimulatedConsumers#work} says it. */
  private static String work(Row.Job job) {
    return job.stage().map(stage -> job.step() + ":" + stage).orElse(job.step().name());
  }

  @Override
  public boolean waits(Job job) {
    return kept(job.getHost()).stream()
        .anyMatch(phase -> work(phase).filter(SimulatedConsumers.work(job)::equals).isPresent());
  }

  @Override
  public Optional<JobOutcome> outcome(Job job) {
    return Optional.ofNullable(outcomes.get(SimulatedConsumers.work(job) + " " + job.getHost()));
  }

  @Override
  public boolean waits(Check check) {
    return check.hosts().stream().anyMatch(host -> kept(host).contains(phase(check)));
  }

  @Override
  public Optional<Verdict> verdict(Check check) {
    return check.hosts().stream().anyMatch(host -> refused.get(host) == phase(check))
        ? Optional.of(Fleet.WAIT)
        : Optional.empty();
  }

  private Set<Phase> kept(String host) {
    return kept.getOrDefault(host, Set.of());
  }

  private static Phase phase(Check check) {
    return switch (check.kind()) {
      case CONFIRM -> Phase.CONFIRM;
      case OPEN -> Phase.OPEN;
    };
  }
}
