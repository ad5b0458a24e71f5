package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.List;

/** Admits nobody while the fleet is frozen; lapsed locks go as always. */
record Braked(Brake brake, Admission.Round round) implements Admission.Round {

  @Override
  public Verdict judge(
      Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
    return new Verdict(Verdict.Decision.HOLD, brake.text(), List.of());
  }

  @Override
  public boolean healthySince(String host, long mark) {
    return round.healthySince(host, mark);
  }
}
