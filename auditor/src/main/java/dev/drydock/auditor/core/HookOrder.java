package dev.drydock.auditor.core;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The part of I5 that is about hooks, told from the order in which events were written. Of each
 * host a hook was told:
 *
 * <ol>
 *   <li>A hook is given out in its stage: before the drain, after it, after health or, on the way
 *       back, before the recovery, and after that.
 *   <li>The next step is given out, or the host is told to be upgraded, only when the hooks of the
 *       stage before are done.
 *   <li>Within a stage, only when those of the orders before are done: from the lowest to the
 *       highest in pre hooks, back in post hooks. On the way back only those count whose pre hook
 *       was given out.
 * </ol>
 */
final class HookOrder {
  /** What comes after a stage. */
  private static final Map<String, String> STAGE_BEFORE =
      Map.of("Drain", "BeforeUndeploy", "Update", "AfterUndeploy", "Recover", "BeforeDeploy");

  private final Grant grant;
  private final List<Job> jobs;
  private final List<Hook> hooks;
  private final Map<String, List<Event>> events;
  private final Tally tally;

  /** Of one grant with its hooks and jobs, and the events of jobs by the job's id. */
  HookOrder(Page page, Grant grant, List<Job> jobs, Map<String, List<Event>> events, Tally tally) {
    this.grant = grant;
    this.jobs = jobs;
    this.hooks = page.hooks().stream().filter(hook -> hook.grant().equals(grant.id())).toList();
    this.events = events;
    this.tally = tally;
  }

  void look(String host, List<Event> told) {
    if (hooks.isEmpty()) {
      return;
    }
    for (Job job : jobs) {
      if (job.about().contains(host)) {
        claims(job).forEach(claim -> claimed(host, job, claim));
      }
    }
    told.stream()
        .filter(event -> event.kind().equals("HostUpgraded"))
        .forEach(event -> ended(host, "AfterDeploy", event, "it was told to be upgraded"));
  }

  private List<Event> claims(Job job) {
    return of(job).filter(event -> event.kind().equals("JobClaimed")).toList();
  }

  private Stream<Event> of(Job job) {
    return events.getOrDefault(job.id(), List.of()).stream();
  }

  private void claimed(String host, Job job, Event claim) {
    if (job.hook() != 0) {
      tally.judged();
      Hook hook = hook(job.hook());
      misplaced(host, job, hook, claim)
          .or(() -> early(host, job, hook, claim))
          .ifPresent(why -> violated(host, claim, hook.says() + " was given out " + why));
      return;
    }
    String stage = STAGE_BEFORE.get(job.step());
    if (stage != null && (grant.undo().isEmpty() || !job.step().equals("Recover"))) {
      ended(host, stage, claim, job.step() + " was given out");
    }
  }

  /** All hooks of the stage are done before the event. */
  private void ended(String host, String stage, Event event, String what) {
    for (Hook hook : hooks) {
      if (hook.stage().equals(stage) && hook.hosts().contains(host)) {
        tally.judged();
        if (!done("Hook", hook, event)) {
          violated(host, event, what + " before " + hook.says() + " was done");
        }
      }
    }
  }

  private Optional<String> misplaced(String host, Job job, Hook hook, Event claim) {
    boolean back = job.step().equals("Unhook");
    return switch (hook.stage()) {
      case "BeforeUndeploy" -> when(given(host, "Drain", claim), "after the drain had begun");
      case "AfterUndeploy" -> when(!done(host, "Drain", claim), "before the drain was done");
      case "BeforeDeploy" ->
          back
              ? when(given(host, "Recover", claim), "after the recovery had begun")
              : when(!done(host, "Health", claim), "before health had passed");
      default ->
          when(
              !done(host, "Recover", claim) && !(back && done(host, "Unfreeze", claim)),
              "before the host was back");
    };
  }

  private static Optional<String> when(boolean so, String why) {
    return so ? Optional.of(why) : Optional.empty();
  }

  private Optional<String> early(String host, Job job, Hook hook, Event claim) {
    Set<Integer> begun = new HashSet<>();
    jobs.stream()
        .filter(one -> one.step().equals("Hook") && one.given())
        .forEach(one -> begun.add(one.hook()));
    Predicate<Hook> counts =
        job.step().equals("Hook")
            ? _ -> true
            : other -> other.pre().filter(begun::contains).isPresent();
    return hooks.stream()
        .filter(other -> other.stage().equals(hook.stage()) && other.hosts().contains(host))
        .filter(other -> other.precedes(hook) && counts.test(other))
        .filter(other -> !done(job.step(), other, claim))
        .findFirst()
        .map(other -> "before " + other.says() + " was done, which comes first");
  }

  private Hook hook(int number) {
    return hooks.stream().filter(hook -> hook.number() == number).findFirst().orElseThrow();
  }

  private boolean done(String step, Hook hook, Event before) {
    return jobs.stream()
        .filter(job -> job.hook() == hook.number() && job.step().equals(step))
        .anyMatch(job -> ended(job, before));
  }

  private boolean done(String host, String step, Event before) {
    return jobs.stream()
        .filter(job -> job.step().equals(step) && job.host().equals(host))
        .anyMatch(job -> ended(job, before));
  }

  private boolean ended(Job job, Event before) {
    return of(job).anyMatch(event -> event.kind().equals("JobDone") && event.id() < before.id());
  }

  private boolean given(String host, String step, Event before) {
    return jobs.stream()
        .filter(job -> job.step().equals(step) && job.host().equals(host))
        .flatMap(this::of)
        .anyMatch(event -> event.kind().equals("JobClaimed") && event.id() < before.id());
  }

  private void violated(String host, Event event, String why) {
    tally.violated(
        new Exhibit(
            "host/" + host,
            Optional.of(event.at()),
            why + ", under " + grant.id(),
            List.of(event.row())));
  }
}
