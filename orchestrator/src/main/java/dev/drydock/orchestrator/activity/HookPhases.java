package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.blocked.BlockedBatches.Cause;
import dev.drydock.orchestrator.hooks.HookCourse;
import dev.drydock.orchestrator.hooks.HookCourse.FailedHook;
import dev.drydock.orchestrator.jobs.HookPublication;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * The stages of hooks as phases of a batch, forward and back, inside a transaction that holds the
 * lock of its grant.
 */
final class HookPhases {
  private final Handle handle;
  private final GrantRow grant;
  private final FailedHosts failed;
  private final HookCourse course;
  private int again;

  HookPhases(Handle handle, GrantRow grant, FailedHosts failed) {
    this.handle = handle;
    this.grant = grant;
    this.failed = failed;
    this.course = new HookCourse(handle, grant);
  }

  /** How many jobs were new. */
  int published() {
    return course.published() + again;
  }

  /** Whether a hook that leads forward is with somebody. */
  boolean runs() {
    return course.runs();
  }

  /** The stage of a phase on the way forward. */
  Progress forward(Phase phase, List<String> hosts) {
    Stage stage = stage(phase);
    List<String> left = failed.without(hosts);
    return switch (course.forward(stage, left)) {
      case HookCourse.Waiting() -> Progress.waiting();
      case HookCourse.Done() -> Progress.done();
      case HookCourse.Vetoed(String reason) -> new Progress(Status.HELD, reason);
      case HookCourse.Failed(List<FailedHook> hooks) -> failed(stage, hooks, left);
    };
  }

  private Progress failed(Stage stage, List<FailedHook> hooks, List<String> left) {
    Cause cause = cause(stage.word(), hooks);
    FailedHosts.Way way =
        stage.pre()
            ? failed.of(cause, !cause.reasons().keySet().containsAll(left), true)
            : failed.ofPost(cause);
    return settle(way, JobStep.Hook, hooks, left, () -> forward(phase(stage), left));
  }

  /**
   * The stage on the way back, for hosts whose state is known.
   *
   * @return WAITING or DONE: hosts whose hooks stay failed are among those to be kept aside
   */
  Progress back(Stage stage, List<String> hosts) {
    List<String> left = failed.without(hosts);
    return switch (course.back(stage, left)) {
      case HookCourse.Waiting() -> Progress.waiting();
      case HookCourse.Done() -> Progress.done();
      case HookCourse.Vetoed(String reason) -> throw new IllegalStateException(reason);
      case HookCourse.Failed(List<FailedHook> hooks) ->
          settle(
              failed.ofPost(cause(stage.word() + ", going back", hooks)),
              JobStep.Unhook,
              hooks,
              left,
              () -> back(stage, left));
    };
  }

  private Progress settle(
      FailedHosts.Way way,
      JobStep step,
      List<FailedHook> hooks,
      Collection<String> hosts,
      Supplier<Progress> others) {
    return switch (way) {
      case FailedHosts.Wait() -> Progress.waiting();
      case FailedHosts.Back(Progress back) -> back;
      case FailedHosts.Aside() -> others.get();
      case FailedHosts.Again() -> {
        hooks.forEach(hook -> HookPublication.again(handle, grant, step, hook.job().hook(), hosts));
        again += hooks.size();
        yield Progress.waiting();
      }
    };
  }

  private static Cause cause(String step, List<FailedHook> hooks) {
    Map<String, String> reasons = new TreeMap<>();
    List<String> jobs = new ArrayList<>();
    for (FailedHook hook : hooks) {
      jobs.add(hook.job().id());
      hook.hosts().forEach(host -> reasons.putIfAbsent(host, hook.reason()));
    }
    return new Cause(step, jobs, reasons);
  }

  /** What hooks began on these hosts and nobody took back, as an addition to a reason. */
  Map<String, String> open(Collection<String> hosts) {
    Map<String, String> open = new TreeMap<>();
    course
        .open(hosts)
        .forEach((host, hooks) -> open.put(host, "; not done: " + String.join(", ", hooks)));
    return open;
  }

  private static Stage stage(Phase phase) {
    return switch (phase) {
      case BEFORE_UNDEPLOY -> Stage.BEFORE_UNDEPLOY;
      case AFTER_UNDEPLOY -> Stage.AFTER_UNDEPLOY;
      case BEFORE_DEPLOY -> Stage.BEFORE_DEPLOY;
      case AFTER_DEPLOY -> Stage.AFTER_DEPLOY;
      case VERIFY, FREEZE, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER, UNDO, RECLAIM ->
          throw new IllegalArgumentException(phase + " has no hooks");
    };
  }

  private static Phase phase(Stage stage) {
    return switch (stage) {
      case BEFORE_UNDEPLOY -> Phase.BEFORE_UNDEPLOY;
      case AFTER_UNDEPLOY -> Phase.AFTER_UNDEPLOY;
      case BEFORE_DEPLOY -> Phase.BEFORE_DEPLOY;
      case AFTER_DEPLOY -> Phase.AFTER_DEPLOY;
    };
  }
}
