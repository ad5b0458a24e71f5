package dev.drydock.orchestrator.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.batch.BatchPlanner;
import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Plays a batch: it applies what is decided, lets jobs end and people answer as a test tells, and
 * has it decided again after each. It fails where deciding the same twice would do anything twice.
 *
 * <p>Jobs are named by their step and host, such as {@code Drain a1}. A repair is named by its
 * action, such as {@code Diagnose a1}, and a hook by its name and target, such as {@code Hook move
 * web@a1}, or {@code Hook fence} if it is about the batch.
 */
public final class BatchScript {
  private static final int LOOKS_MAX = 50;

  private BatchSnapshot now;
  private final List<Action> decided = new ArrayList<>();
  private List<Action> last = List.of();
  private final List<String> done = new ArrayList<>();
  private final Map<String, String> left = new TreeMap<>();
  private final List<String> updates = new ArrayList<>();
  private Optional<HostEnd> end = Optional.empty();

  private BatchScript(BatchSnapshot begins) {
    now = begins;
  }

  /** Begins with what is known of a batch; nothing is decided yet. */
  public static BatchScript of(Batches batch) {
    return new BatchScript(batch.snapshot());
  }

  /** Decides, and applies that. */
  public BatchScript decide() {
    last = BatchPlanner.decide(now);
    decided.addAll(last);
    for (Action action : last) {
      note(action);
      SnapshotDraft snapshotDraft = new SnapshotDraft(now);
      snapshotDraft.act(action);
      now = snapshotDraft.snapshot();
    }
    assertThat(BatchPlanner.decide(now))
        .as("decided twice, after %s", last)
        .allMatch(action -> action instanceof Action.InPhase || action instanceof Action.Wait);
    return this;
  }

  private void note(Action action) {
    if (action instanceof Action.Publish(var order) && order.step() == Step.UPDATE) {
      updates.add(host(order.host()).backTo().orElse("the rollout's"));
    }
    if (action instanceof Action.Quarantine(String host, String reason)) {
      left.put(host, "Quarantined: " + reason);
    }
    if (action instanceof Action.Return(String host, HostEnd how, String reason)) {
      left.put(host, how.word() + ": " + reason);
    }
    if (action instanceof Action.EndBatch(var ends, HostEnd how)) {
      ends.forEach((host, ended) -> left.put(host, ended.end().word() + ": " + ended.reason()));
      end = Optional.of(how);
    }
  }

  /** Something else happens; nothing is decided about it yet. */
  public BatchScript meanwhile(UnaryOperator<Batches> change) {
    now = change.apply(Batches.from(now)).snapshot();
    return this;
  }

  /** Time passes. */
  public BatchScript later(Duration time) {
    return meanwhile(batch -> batch.later(time)).decide();
  }

  /** Another run works the batch. */
  public BatchScript anotherRun() {
    return meanwhile(batch -> batch.run(now.grant().run() + 1)).decide();
  }

  /** Its run is lost, and another reclaims it. */
  public BatchScript reclaimed() {
    return meanwhile(
            batch -> batch.grant(one -> one.run(now.grant().run() + 1).reclaim("its run was lost")))
        .decide();
  }

  /** These jobs end well, one after the other. */
  public BatchScript done(String... names) {
    for (String name : names) {
      end(name, JobStatus.DONE, "");
    }
    return this;
  }

  /** A job fails, and says so. */
  public BatchScript failed(String name) {
    return end(name, JobStatus.FAILED, "said Failed");
  }

  /** A host was read, is not on the release, and says whether anything was begun there. */
  public BatchScript read(String name, boolean begun) {
    BatchJob batchJob = open(name);
    return meanwhile(
            batch ->
                batch.job(
                    JobBuilder.job(batchJob.step(), batchJob.host())
                        .round(batchJob.round())
                        .run(batchJob.run())
                        .failed("said Failed")
                        .begun(begun)))
        .decide();
  }

  /** A consumer gives up a job, and does not know what became of it. */
  public BatchScript unknown(String name) {
    return end(name, JobStatus.UNKNOWN, "said Unknown");
  }

  /** The same, and its consumer says whether anything was begun on the host. */
  public BatchScript unknown(String name, boolean begun) {
    return end(
        name,
        batchJob ->
            JobBuilder.job(batchJob.step(), batchJob.host())
                .round(batchJob.round())
                .run(batchJob.run())
                .createdAt(batchJob.createdAt())
                .endedAt(now.now())
                .is(JobStatus.UNKNOWN, Math.max(1, batchJob.attempt()))
                .saying("said Unknown")
                .begun(begun)
                .build());
  }

  /** A job fails, and its consumer says that nothing was begun on the host. */
  public BatchScript untouched(String name, Mend mend) {
    return untouched(name, mend, "");
  }

  /** The same, for a cause that hosts which fail alike share. */
  public BatchScript untouched(String name, Mend mend, String cause) {
    return end(
        name,
        batchJob ->
            JobBuilder.job(batchJob.step(), batchJob.host())
                .round(batchJob.round())
                .run(batchJob.run())
                .createdAt(batchJob.createdAt())
                .endedAt(now.now())
                .failed("said no")
                .untouched(mend, cause)
                .build());
  }

  /** No consumer took a job before its time was over. */
  public BatchScript untaken(String name) {
    BatchJob batchJob = open(name);
    return job(batchJob.with(JobStatus.EXPIRED, 0, "", Optional.of(now.now()))).decide();
  }

  /** A job ends so. */
  public BatchScript end(String name, JobStatus status, String message) {
    return end(
        name, batchJob -> batchJob.with(status, Math.max(1, batchJob.attempt()), message, at()));
  }

  /** A job ends as told. */
  public BatchScript end(String name, UnaryOperator<BatchJob> change) {
    BatchJob ended = change.apply(open(name));
    if (ended.done()) {
      done.add(name);
    }
    return job(ended).decide();
  }

  private Optional<Instant> at() {
    return Optional.of(now.now());
  }

  /** A consumer takes a job. */
  public BatchScript claimed(String name) {
    BatchJob batchJob = open(name);
    return job(batchJob.with(JobStatus.CLAIMED, batchJob.attempt() + 1, "", Optional.empty()))
        .decide();
  }

  /** The consumer of a job falls silent: the job is on the board again. */
  public BatchScript silent(String name) {
    BatchJob batchJob = open(name);
    return job(batchJob.with(JobStatus.PENDING, batchJob.attempt(), "", Optional.empty())).decide();
  }

  private BatchScript job(BatchJob batchJob) {
    return meanwhile(batch -> batch.job(batchJob));
  }

  private BatchJob open(String name) {
    List<BatchJob> found =
        jobs().stream()
            .filter(batchJob -> !batchJob.ended() && name(batchJob).equals(name))
            .toList();
    assertThat(found).as("%s among %s", name, offered()).hasSize(1);
    return found.getFirst();
  }

  /** The grantor says yes to whatever it was asked. */
  public BatchScript granted() {
    return verdict(Check.Verdict.GRANT, "");
  }

  /** The grantor says no to whatever it was asked. */
  public BatchScript held(String reason) {
    return verdict(Check.Verdict.WAIT, reason);
  }

  private BatchScript verdict(Check.Verdict verdict, String reason) {
    List<Check> asked = now.checks().stream().filter(Check::requested).toList();
    assertThat(asked).as("checks that were asked for").isNotEmpty();
    for (Check check : asked) {
      meanwhile(
          batch ->
              batch.check(
                  new Check(check.kind(), check.round(), verdict, reason, check.askedAt())));
      if (verdict == Check.Verdict.GRANT) {
        meanwhile(batch -> batch.grant(one -> one.stage(stage(check.kind()))));
      }
    }
    return decide();
  }

  private static GrantStage stage(Check.Kind passed) {
    return switch (passed) {
      case CONFIRM -> GrantStage.CONFIRMED;
      case OPEN -> GrantStage.OPEN;
    };
  }

  /** All that is offered ends well, and all checks pass, until this job is offered. */
  public BatchScript until(String name) {
    decide();
    for (int look = 0; look < LOOKS_MAX && !offered().contains(name); look++) {
      goOn();
    }
    assertThat(offered()).contains(name);
    return this;
  }

  /** The same until the batch ends. */
  public BatchScript toItsEnd() {
    decide();
    for (int look = 0; look < LOOKS_MAX && end.isEmpty(); look++) {
      goOn();
    }
    assertThat(end).as("its end; it waits for %s", waitsFor()).isPresent();
    return this;
  }

  private void goOn() {
    if (now.checks().stream().anyMatch(Check::requested)) {
      granted();
      return;
    }
    List<String> offered = offered();
    offered.stream().filter(name -> offered().contains(name)).forEach(this::done);
  }

  /** People answer what they were asked first. */
  public BatchScript answer(Option option) {
    return answer(option, "");
  }

  /** People answer what they were asked first, and say why. */
  public BatchScript answer(Option option, String reason) {
    int openRound =
        now.checks().stream()
            .filter(check -> check.kind() == Check.Kind.OPEN)
            .mapToInt(Check::round)
            .findFirst()
            .orElse(0);
    Decision asked = now.decisions().stream().filter(Decision::open).findFirst().orElseThrow();
    Decision answered = asked.answered(new Decision.Answer(option, "any", reason), openRound);
    return meanwhile(batch -> batch.decision(answered)).decide();
  }

  /** People answer whether a rung is tried. */
  public BatchScript approve(boolean yes) {
    return answer(yes ? Option.APPROVE : Option.REFUSE);
  }

  /** What was to be decided of one kind, by number. */
  public List<Decision> decisions(Decision.Kind kind) {
    return now.decisions().stream().filter(one -> one.is(kind)).toList();
  }

  /** Jobs that wait for a consumer or are with one, in the order of their publication. */
  public List<String> offered() {
    return jobs().stream().filter(batchJob -> !batchJob.ended()).map(this::name).toList();
  }

  /** Jobs that were done, in their order. */
  public List<String> done() {
    return List.copyOf(done);
  }

  /** All jobs, each with its status, in the order of their publication. */
  public List<String> rounds() {
    return jobs().stream()
        .map(batchJob -> name(batchJob) + " " + batchJob.status().word())
        .toList();
  }

  public List<BatchJob> jobs() {
    return now.jobs();
  }

  /** For each Update that was published, which release it was to bring. */
  public List<String> updates() {
    return List.copyOf(updates);
  }

  private String name(BatchJob batchJob) {
    if (batchJob.hook() == 0) {
      return batchJob.repair().orElse(batchJob.step().word()) + " " + batchJob.host();
    }
    BatchHook hook = now.hooks().get(batchJob.hook() - 1);
    String target = hook.target().equals(now.grant().id()) ? "" : " " + hook.target();
    return batchJob.step().word() + " " + hook.name() + target;
  }

  /** What is known of it now. */
  public BatchSnapshot now() {
    return now;
  }

  public BatchHost host(String name) {
    return now.hosts().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  /** All that was decided so far. */
  public List<Action> decided() {
    return List.copyOf(decided);
  }

  /** All that was decided so far of one kind. */
  public <T extends Action> List<T> decided(Class<T> kind) {
    return decided.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** What the last decision waits for. */
  public String waitsFor() {
    return last.isEmpty() || !(last.getLast() instanceof Action.Wait(var _, String reason))
        ? "nothing"
        : reason;
  }

  /** When it is looked at again even if nothing happens. */
  public Optional<Instant> nextLook() {
    return last.getLast() instanceof Action.Wait(Optional<Instant> until, String _)
        ? until
        : Optional.empty();
  }

  /** The phases of the last decision. */
  public List<Phase> phases() {
    return last.stream()
        .filter(Action.InPhase.class::isInstance)
        .map(action -> ((Action.InPhase) action).phase())
        .toList();
  }

  /** Why it went back; empty while it did not. */
  public String wentBack() {
    return now.grant()
        .turnedBack()
        .map(back -> back.end().word() + ": " + back.reason())
        .orElse("");
  }

  /** How a host left it, with the reason; empty while it did not. */
  public String left(String host) {
    return left.getOrDefault(host, "");
  }

  /** How its hosts left it. */
  public String hosts() {
    List<String> hosts = new ArrayList<>();
    left.forEach((host, how) -> hosts.add(host + " " + how.substring(0, how.indexOf(':'))));
    return String.join(", ", hosts);
  }

  /** How it ended; empty while it did not. */
  public Optional<HostEnd> end() {
    return end;
  }
}
