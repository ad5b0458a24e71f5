package dev.drydock.impact.simulation;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The judge, told less than there is if a bug has it so; who is held is held by a rule. */
record Blinkered(Admission.Round real, KnownState known, Verifier verifier, Bug bug)
    implements Admission.Round {

  @Override
  public Verdict judge(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    LockTable table = known.table();
    boolean checks =
        hosts.stream()
            .allMatch(
                host ->
                    table.locks().containsKey(host)
                        && table.locks().get(host).kind() == LockRecord.Kind.BATCH);
    if (checks && bug == Bug.CHECKS_NOTHING_TWICE) {
      return new Verdict(Verdict.Decision.GRANT, "it was granted", List.of());
    }
    Verdict verdict = real.judge(hosts, applications, held.stream().filter(this::seen).toList());
    if (!verdict.granted()) {
      Set<String> locked = held.stream().map(LockRecord::host).collect(Collectors.toSet());
      verifier.holds(known, hosts, locked, verdict.reason());
    }
    return verdict;
  }

  private boolean seen(LockRecord lock) {
    return switch (bug) {
      case IGNORES_FOREIGN_LOCKS -> lock.kind() != LockRecord.Kind.SESSION;
      case IGNORES_LAPSED_LOCKS -> !known.table().lapsed(lock);
      case IGNORES_QUARANTINES -> lock.kind() != LockRecord.Kind.QUARANTINE;
      case FORGETS_WHAT_IT_JUST_GRANTED -> known.table().locks().containsKey(lock.host());
      default -> true;
    };
  }

  @Override
  public Verdict judgeOnceOthersEnd(
      Collection<String> hosts,
      Collection<String> applications,
      Collection<LockRecord> ending,
      Collection<LockRecord> staying) {
    return real.judgeOnceOthersEnd(hosts, applications, ending, staying);
  }

  @Override
  public boolean healthySince(String host, long mark) {
    return real.healthySince(host, mark);
  }
}
