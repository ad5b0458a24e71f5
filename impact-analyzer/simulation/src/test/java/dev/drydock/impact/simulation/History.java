package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.Health;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When instances were last taken down, as the database's triggers note it. */
final class History {
  private static final Duration LONG_AGO = Duration.ofDays(7);

  private final Agenda agenda;
  private final Inventory inventory;
  private final Bug bug;
  private final Map<String, Row> rows = new HashMap<>();
  private final Map<String, Instant> granted = new HashMap<>();
  private final Map<String, Instant> gone = new HashMap<>();

  History(Agenda agenda, Inventory inventory, Bug bug) {
    this.agenda = agenda;
    this.inventory = inventory;
    this.bug = bug;
  }

  private record Row(Report.Seen seen, Instant at, String lock) {}

  /** A batch has its hosts; it takes nothing down before it is opened. */
  void granted(String grant) {
    granted.put(grant, agenda.now());
  }

  /** Its open check was passed. What was seen to be down since the grant was so by itself. */
  void opened(String grant, Collection<String> hosts) {
    Instant since = granted.getOrDefault(grant, agenda.now());
    for (Report report : inventory.reports()) {
      for (Report.Seen seen : report.instances()) {
        if (hosts.contains(seen.host())) {
          boolean down = seen.health() == Health.UNHEALTHY && report.at().isAfter(since);
          note(seen, down ? Instant.EPOCH : agenda.now(), grant);
        }
      }
    }
  }

  /** Another lock may take down what it holds. */
  void locked(String lock, Collection<String> hosts) {
    if (bug == Bug.NOTES_NO_FOREIGN_DISRUPTIONS) {
      return;
    }
    for (Report report : inventory.reports()) {
      report.instances().stream()
          .filter(seen -> hosts.contains(seen.host()))
          .forEach(seen -> note(seen, agenda.now(), lock));
    }
  }

  private void note(Report.Seen seen, Instant at, String lock) {
    Row before = rows.getOrDefault(seen.id(), new Row(seen, at, lock));
    rows.put(seen.id(), new Row(seen, at.isAfter(before.at()) ? at : before.at(), lock));
  }

  List<Disruption> read(LockTable table) {
    List<Disruption> read = new ArrayList<>();
    for (Row row : rows.values()) {
      LockRecord lock = table.locks().get(row.seen().host());
      boolean ongoing = lock != null && lock.id().equals(row.lock()) && !table.lapsed(lock);
      if (!ongoing) {
        gone.putIfAbsent(row.lock(), agenda.now());
      }
      Instant at =
          bug == Bug.COUNTS_INTERVALS_FROM_THE_END
              ? gone.getOrDefault(row.lock(), row.at())
              : row.at();
      read.add(disruption(row.seen(), row.seen().id(), at, ongoing));
      if (bug == Bug.COUNTS_DISRUPTIONS_TWICE) {
        read.add(disruption(row.seen(), row.seen().id() + " again", at, ongoing));
      }
    }
    if (bug == Bug.COUNTS_ONLY_WHAT_IS_OPEN) {
      Instant before = agenda.now().minus(LONG_AGO);
      for (Report report : inventory.reports()) {
        report.instances().stream()
            .filter(seen -> table.locks().containsKey(seen.host()))
            .forEach(seen -> read.add(disruption(seen, seen.id(), before, true)));
      }
    }
    return read;
  }

  private static Disruption disruption(Report.Seen seen, String id, Instant at, boolean ongoing) {
    return new Disruption(id, seen.application(), seen.host(), at, ongoing);
  }
}
