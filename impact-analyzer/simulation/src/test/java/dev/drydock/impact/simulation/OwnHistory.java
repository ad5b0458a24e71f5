package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Health;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was taken down when, as who only watches grants and openings has it. */
final class OwnHistory {
  private final Map<String, Past> past = new HashMap<>();
  private final Map<String, Instant> grantedOn = new HashMap<>();

  /**
   * The last time an instance was taken down.
   *
   * @param host where it ran then
   */
  record Past(Instant at, String lock, String application, String host) {

    /** Whether who did it still has the host. */
    boolean goesOn(LockTable table) {
      LockRecord there = table.locks().get(host);
      return there != null && there.id().equals(lock) && !table.lapsed(there);
    }
  }

  /** By instance. */
  Map<String, Past> past() {
    return Map.copyOf(past);
  }

  /** A batch has these hosts, and nothing was taken down yet. */
  void granted(Instant at, List<String> hosts) {
    hosts.forEach(host -> grantedOn.put(host, at));
  }

  /** Another's lock takes down what is there. */
  void locked(Instant at, String lock, List<String> hosts, Collection<Report> newest) {
    for (Report report : newest) {
      for (Report.Seen seen : report.instances()) {
        if (hosts.contains(seen.host())) {
          past.put(seen.id(), new Past(at, lock, seen.application(), seen.host()));
        }
      }
    }
  }

  /** So does a batch, but for what was seen to be down since it was granted. */
  void opened(Instant at, String grant, List<String> hosts, Collection<Report> newest) {
    for (Report report : newest) {
      for (Report.Seen seen : report.instances()) {
        if (hosts.contains(seen.host())) {
          boolean anyway =
              seen.health() == Health.UNHEALTHY
                  && report.at().isAfter(grantedOn.getOrDefault(seen.host(), Instant.MAX));
          Past before = past.get(seen.id());
          Instant kept = before == null ? Instant.EPOCH : before.at();
          past.put(seen.id(), new Past(anyway ? kept : at, grant, seen.application(), seen.host()));
        }
      }
    }
  }

  /** Where an application was noted to be taken down by who still has the host. */
  record Begun(String application, String host) {}

  /** What came to the host of somebody later, of another application, was not noted. */
  static Set<Begun> begun(KnownState knownState) {
    Set<Begun> begun = new HashSet<>();
    for (Past past : knownState.past().values()) {
      if (past.goesOn(knownState.table())) {
        begun.add(new Begun(past.application(), past.host()));
      }
    }
    return begun;
  }
}
