package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Logs made up step by step: each entry is one second after the one before, and one revision of
 * etcd.
 */
final class LogBuilder {
  static final Instant BEGIN = Instant.parse("2026-11-22T10:00:00Z");

  private final List<LockEntry> locks = new ArrayList<>();
  private final List<LoggedEvent> events = new ArrayList<>();
  private final List<LoggedJob> jobs = new ArrayList<>();
  private final List<LoggedHook> hooks = new ArrayList<>();
  private final List<BatchCheck> checks = new ArrayList<>();
  private final List<LoggedRolloutChange> changes = new ArrayList<>();
  private Optional<Boolean> begun = Optional.empty();
  private Optional<String> undo = Optional.empty();
  private boolean blind;
  private List<String> hosts = List.of("h1");
  private long epoch = 1;
  private long granted = 1;
  private long second;

  static AuditedRollout rollout() {
    return new AuditedRollout(
        "r1",
        BEGIN,
        false,
        Optional.of(Set.of("h1")),
        List.of(),
        List.of(),
        List.of(),
        OptionalLong.of(0),
        BEGIN.plusSeconds(86_400));
  }

  Instant now() {
    return BEGIN.plusSeconds(second);
  }

  LogBuilder later(long seconds) {
    second += seconds;
    return this;
  }

  /** The clock that stamps all rows is set back. */
  LogBuilder setBack(long seconds) {
    return later(-seconds);
  }

  /** The batch of g1 has these hosts instead of h1 alone. */
  LogBuilder together(String... batch) {
    hosts = List.of(batch);
    return this;
  }

  /** A store was restored: g1 is worked in the next epoch, which has not begun yet in etcd. */
  LogBuilder reclaimed() {
    granted = epoch + 1;
    return this;
  }

  /** It begins: revisions are of it from now on. */
  LogBuilder epochBegins() {
    epoch++;
    return this;
  }

  /** An entry of the lock history on h1, unless other hosts are named. */
  LogBuilder lock(String what, String lock, String kind, String... hosts) {
    return lock(what, lock, kind, Optional.empty(), hosts);
  }

  /** The same of a batch of a rollout. */
  LogBuilder batch(String what, String lock, String rollout) {
    return lock(what, lock, "Batch", Optional.of(rollout));
  }

  /** The rollout, or h1 in it, is in this state from now on. */
  LogBuilder change(String rollout, String kind, String state) {
    second++;
    changes.add(
        new LoggedRolloutChange(rollout, kind.startsWith("Host") ? "h1" : "", now(), kind, state));
    return this;
  }

  private LogBuilder lock(
      String what, String lock, String kind, Optional<String> rollout, String... hosts) {
    second++;
    locks.add(
        new LockEntry(
            epoch,
            100 + locks.size(),
            0,
            now(),
            what,
            lock,
            kind,
            hosts.length == 0 ? List.of("h1") : List.of(hosts),
            "somebody",
            "",
            rollout,
            Optional.empty(),
            OptionalLong.of(events.size())));
    return this;
  }

  /** An event of a job of g1 on h1. */
  LogBuilder event(String kind, String job, int attempt) {
    second++;
    events.add(new LoggedEvent(events.size() + 1, now(), kind, "h1", "", job, attempt, ""));
    return this;
  }

  /** What g1 came to on h1. */
  LogBuilder told(String kind) {
    second++;
    events.add(new LoggedEvent(events.size() + 1, now(), kind, "h1", "g1", "", 0, ""));
    return this;
  }

  /** A check of g1 was decided. */
  LogBuilder opened(int round) {
    second++;
    checks.add(new BatchCheck("g1", "open", round, "Grant", events.size()));
    return this;
  }

  /** From the first to the last page g1 is one that went back. */
  LogBuilder wentBack() {
    undo = Optional.of("Reverted");
    return this;
  }

  /** Rows do not tell all that was done to the hosts of g1 before. */
  LogBuilder blind() {
    blind = true;
    return this;
  }

  /** A hook of g1 on h1. */
  LogBuilder hook(int number, String stage, int order, int pre) {
    hooks.add(
        new LoggedHook(
            "g1",
            number,
            "hook" + number,
            stage,
            List.of("h1"),
            order,
            Optional.of(pre).filter(of -> of != 0)));
    return this;
  }

  /** A job of g1 on h1 that was given out once and done, and the events of that. */
  LogBuilder done(String step, int round, int hook) {
    return given(step, round, hook, "");
  }

  /** The same of a Repair. */
  LogBuilder repaired(String repair, int round) {
    return given("Repair", round, 0, repair);
  }

  /** A reading of h1 that failed, and says whether anything was begun there. */
  LogBuilder read(int round, boolean anything) {
    begun = Optional.of(anything);
    job("Verify", round, 0, "", "Failed", 1);
    begun = Optional.empty();
    return event("JobClaimed", "Verify." + round, 1).event("JobFailed", "Verify." + round, 1);
  }

  /** A Drain of h1 that failed, and says whether anything was begun there. */
  LogBuilder notDrained(int round, boolean anything) {
    begun = Optional.of(anything);
    job("Drain", round, 0, "", "Failed", 1);
    begun = Optional.empty();
    return event("JobClaimed", "Drain." + round, 1).event("JobFailed", "Drain." + round, 1);
  }

  private LogBuilder given(String step, int round, int hook, String repair) {
    return job(step, round, hook, repair, "Done", 1)
        .event("JobClaimed", step + "." + round, 1)
        .event("JobDone", step + "." + round, 1);
  }

  /** A job of g1 on h1 as its row says; its id is step and round. */
  LogBuilder job(String step, int round, String state, int attempt) {
    return job(step, round, 0, "", state, attempt);
  }

  private LogBuilder job(
      String step, int round, int hook, String repair, String state, int attempt) {
    jobs.add(
        new LoggedJob(
            step + "." + round,
            "g1",
            step,
            "h1",
            round,
            hook,
            repair,
            List.of("h1"),
            state,
            attempt,
            now(),
            Optional.of(now()),
            begun));
    return this;
  }

  LogPage page() {
    LoggedGrant loggedGrant =
        new LoggedGrant(
            "g1",
            hosts,
            "granted",
            granted,
            100,
            blind,
            undo,
            BEGIN,
            Optional.empty(),
            Optional.empty());
    return new LogPage(
        List.of(new LoggedHostUpgrade("h1", "InProgress", "", Optional.of("g1"))),
        jobs.isEmpty() ? List.of() : List.of(loggedGrant),
        checks,
        jobs,
        hooks,
        events,
        locks,
        changes);
  }
}
