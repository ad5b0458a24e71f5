package dev.drydock.impact.core;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Judges by one view of fleet and policies, whoever read it.
 *
 * @param notRestarted hosts that were not seen started anew since the client that holds them asked
 * @param questions told of every request that waits for controllers
 */
public record FleetRound(
    Fleet fleet, Policies policies, Set<String> notRestarted, Questions questions)
    implements Admission.Round {

  /** Whoever puts questions to controllers. */
  public interface Questions {
    /** A request was judged; no questions if it does not wait for any. */
    void judged(Collection<String> hosts, List<Question> questions);
  }

  /** Asks nobody. */
  public FleetRound(Fleet fleet, Policies policies, Set<String> notRestarted) {
    this(fleet, policies, notRestarted, (_, _) -> {});
  }

  @Override
  public Verdict judge(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    Judgement judgement = Judge.judgement(fleet, policies, request(hosts, applications, held));
    questions.judged(hosts, judgement.questions());
    return judgement.verdict();
  }

  @Override
  public Verdict judgeOnceOthersEnd(
      Collection<String> hosts,
      Collection<String> applications,
      Collection<LockRecord> ending,
      Collection<LockRecord> staying) {
    Request then = request(hosts, applications, staying).onceEnded(hostsOf(ending));
    return Judge.judge(fleet, policies, then);
  }

  private static Request request(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    return new Request(Set.copyOf(hosts), Set.copyOf(applications), hostsOf(held));
  }

  private static Set<String> hostsOf(Collection<LockRecord> locks) {
    return locks.stream().map(LockRecord::host).collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public boolean healthySince(String host, long mark) {
    return !notRestarted.contains(host) && Judge.healthySince(fleet, policies, host, mark);
  }
}
