package dev.drydock.impact.service;

import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.Judge;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Request;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Admits by the policies of the teams. A round reads fleet and policies once, in one view of the
 * database; judging is pure.
 */
final class FleetAdmission implements Admission {
  private final Jdbi jdbi;
  private final FleetReader fleets;
  private final PolicyReader policies;

  FleetAdmission(Jdbi jdbi, FleetReader fleets, PolicyReader policies) {
    this.jdbi = jdbi;
    this.fleets = fleets;
    this.policies = policies;
  }

  @Override
  public Round begin(LockTable table) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle ->
            new FleetRound(
                fleets.read(handle, table),
                policies.read(handle),
                FleetReader.notRestarted(handle, table)));
  }

  private record FleetRound(Fleet fleet, Policies policies, Set<String> notRestarted)
      implements Round {

    @Override
    public Verdict judge(
        Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
      return Judge.judge(fleet, policies, request(hosts, applications, held));
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
}
