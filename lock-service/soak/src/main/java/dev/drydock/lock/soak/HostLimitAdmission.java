package dev.drydock.lock.soak;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A budget over some hosts: so many of them may be locked at once, lapsed locks included. Two
 * grantors that both believe they lead would exceed it. A host counts as healthy as soon as
 * somebody looks.
 */
record HostLimitAdmission(int hosts, Set<String> of) implements Admission {
  @Override
  public Round begin(LockTable table) {
    return new Round() {
      @Override
      public Verdict judge(
          Collection<String> wanted, Collection<String> applications, Collection<LockRecord> held) {
        Set<String> down = new TreeSet<>();
        if (wanted.stream().anyMatch(of::contains)) {
          down.addAll(wanted);
          held.forEach(lock -> down.add(lock.host()));
          down.retainAll(of);
        }
        return new Verdict(
            down.size() <= hosts ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
            down.size() + " hosts would be locked, " + hosts + " may be",
            List.of());
      }

      @Override
      public boolean healthySince(String host, long mark) {
        return true;
      }
    };
  }
}
