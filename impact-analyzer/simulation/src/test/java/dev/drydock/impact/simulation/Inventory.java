package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.ExternalAnswers;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.SourceReport;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What was reported, as the analyzer has it. */
final class Inventory {
  /** A source is not believed for longer after a report. */
  static final Duration REPORT_AGE_MAX = Duration.ofSeconds(30);

  private static final Duration FOR_EVER = Duration.ofDays(1);

  private final SimulatedFleet simulatedFleet;
  private final Bug bug;
  private final Map<String, Report> newest = new HashMap<>();

  Inventory(SimulatedFleet simulatedFleet, Bug bug) {
    this.simulatedFleet = simulatedFleet;
    this.bug = bug;
  }

  /** Takes a report unless a later one was taken before. */
  void take(Report report) {
    Report last = newest.get(report.source());
    if (last == null || last.mark() < report.mark() || bug == Bug.TAKES_OLD_REPORTS) {
      newest.put(report.source(), report);
    }
  }

  /** The newest report of each source. */
  List<Report> reports() {
    return List.copyOf(newest.values());
  }

  Fleet fleet(
      Instant now, LockTable table, List<Disruption> past, ExternalAnswers externalAnswers) {
    Map<String, SourceReport> reports = new HashMap<>();
    List<FleetInstance> instances = new ArrayList<>();
    for (Report report : newest.values()) {
      reports.put(report.source(), new SourceReport(report.mark(), read(report, now)));
      report.instances().stream()
          .filter(seen -> bug != Bug.COUNTS_WHAT_ANSWERS || seen.health() == Health.HEALTHY)
          .map(seen -> instance(report, seen, now))
          .forEach(instances::add);
    }
    List<FleetHost> hosts = simulatedFleet.hosts().stream().map(host -> host(host, table)).toList();
    Duration ageMax = bug == Bug.BELIEVES_OLD_REPORTS ? FOR_EVER : REPORT_AGE_MAX;
    return new Fleet(now, ageMax, reports, hosts, instances, past, externalAnswers);
  }

  private Instant read(Report report, Instant now) {
    return bug == Bug.BELIEVES_OLD_REPORTS ? now : report.at();
  }

  private FleetInstance instance(Report report, Report.Seen seen, Instant now) {
    boolean believed = bug == Bug.UNKNOWN_IS_UP && seen.health() == Health.UNKNOWN;
    return new FleetInstance(
        seen.id(),
        seen.application(),
        seen.host(),
        seen.zone(),
        bug == Bug.WEIGHS_ALL_ALIKE ? 1 : seen.capacity(),
        believed ? Health.HEALTHY : seen.health(),
        report.mark(),
        read(report, now),
        false);
  }

  private FleetHost host(SimulatedFleet.Host host, LockTable table) {
    EndedLock endedLock = table.ended().get(host.name);
    LockRecord lock = table.locks().get(host.name);
    long mark = Math.max(host.effect, endedLock == null ? 0 : endedLock.mark());
    return new FleetHost(
        host.name,
        host.source,
        false,
        bug == Bug.RELEASES_BEFORE_HEALTH ? 0 : mark,
        labels(host),
        lock != null && lock.kind() == LockRecord.Kind.BATCH);
  }

  private Map<String, String> labels(SimulatedFleet.Host host) {
    return switch (bug) {
      case LUMPS_ALL_DOMAINS_TOGETHER ->
          host.rack.map(_ -> Map.of(Scenario.RACK, "any")).orElse(Map.of());
      case TAKES_NO_LABEL_FOR_A_DOMAIN -> Map.of(Scenario.RACK, host.rack.orElse("r0"));
      default -> host.rack.map(rack -> Map.of(Scenario.RACK, rack)).orElse(Map.of());
    };
  }
}
