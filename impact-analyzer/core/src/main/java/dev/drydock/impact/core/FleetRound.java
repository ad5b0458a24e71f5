package dev.drydock.impact.core;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Judges by one view of fleet and policies, whoever read it. Safe for use by many threads. */
public final class FleetRound implements Admission.Round {
  /** Sets of locked hosts that are remembered: all, those who end, those who stay, and others. */
  private static final int LOCKED_MAX = 8;

  private final Fleet fleet;
  private final Policies policies;
  private final Set<String> notRestarted;
  private final Questions questions;
  private volatile List<Set<String>> lockedHosts = List.of();

  /** Whoever puts questions to controllers. */
  public interface Questions {
    /** A request was judged; no questions if it does not wait for any. */
    void judged(Collection<String> hosts, List<ControllerQuestion> questions);
  }

  /**
   * A round of requests.
   *
   * @param notRestarted hosts that were not seen started anew since the client that holds them
   *     asked
   * @param questions told of every request that waits for controllers
   */
  public FleetRound(Fleet fleet, Policies policies, Set<String> notRestarted, Questions questions) {
    this.fleet = fleet;
    this.policies = policies;
    this.notRestarted = notRestarted;
    this.questions = questions;
  }

  /** Asks nobody. */
  public FleetRound(Fleet fleet, Policies policies, Set<String> notRestarted) {
    this(fleet, policies, notRestarted, (_, _) -> {});
  }

  @Override
  public Verdict judge(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    AdmissionJudgement admissionJudgement =
        Judge.judgement(fleet, policies, request(hosts, applications, held));
    questions.judged(hosts, admissionJudgement.questions());
    return admissionJudgement.verdict();
  }

  @Override
  public Verdict judgeOnceOthersEnd(
      Collection<String> hosts,
      Collection<String> applications,
      Collection<LockRecord> ending,
      Collection<LockRecord> staying) {
    DisruptionRequest then = request(hosts, applications, staying).onceEnded(hostsOf(ending));
    return Judge.judge(fleet, policies, then);
  }

  private DisruptionRequest request(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    return new DisruptionRequest(Set.copyOf(hosts), Set.copyOf(applications), hostsOf(held));
  }

  /**
   * Many requests come with the same locks: they get the same set, by which {@link
   * AvailabilityCache} remembers what it counted.
   */
  private Set<String> hostsOf(Collection<LockRecord> locks) {
    Set<String> hosts =
        locks.stream().map(LockRecord::host).collect(Collectors.toUnmodifiableSet());
    for (Set<String> known : lockedHosts) {
      if (known.equals(hosts)) {
        return known;
      }
    }
    lockedHosts = Stream.concat(Stream.of(hosts), lockedHosts.stream()).limit(LOCKED_MAX).toList();
    return hosts;
  }

  @Override
  public boolean healthySince(String host, long mark) {
    return !notRestarted.contains(host) && Judge.healthySince(fleet, policies, host, mark);
  }
}
