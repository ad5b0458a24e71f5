package dev.drydock.orchestrator.report;

import dev.drydock.orchestrator.report.Advisory.Affected;
import dev.drydock.orchestrator.report.Contents.CveCounts;
import dev.drydock.orchestrator.report.Contents.CveLine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the hosts on which each CVE was closed.
 *
 * <p>Property: of each CVE the five counts add up to the hosts counted in, known and unknown.
 */
final class CveTally {
  static final int OPEN_HOSTS_MAX = 20;

  /**
   * Hosts with the same versions of all packages the advisories are about.
   *
   * @param names of the first {@link #OPEN_HOSTS_MAX} of them at least
   */
  record Group(Advisory.Host before, Advisory.Host after, int hosts, List<String> names) {}

  private final Map<String, List<Advisory>> byCve = new TreeMap<>();

  CveTally(Collection<Advisory> advisories) {
    for (Advisory advisory : advisories) {
      for (String cve : advisory.cves()) {
        byCve.computeIfAbsent(cve, key -> new ArrayList<>()).add(advisory);
      }
    }
  }

  /** Every package some advisory is about. */
  SortedSet<String> packages() {
    SortedSet<String> packages = new TreeSet<>();
    byCve.values().forEach(advisories -> packages.addAll(packages(advisories)));
    return packages;
  }

  /**
   * By CVE.
   *
   * @param unknown hosts of which too little is known
   */
  List<CveLine> lines(List<Group> groups, int unknown) {
    return byCve.entrySet().stream()
        .map(each -> line(each.getKey(), each.getValue(), groups, unknown))
        .toList();
  }

  private static CveLine line(
      String cve, List<Advisory> advisories, List<Group> groups, int unknown) {
    SortedSet<String> ids = new TreeSet<>();
    advisories.forEach(advisory -> ids.add(advisory.id()));
    SortedSet<String> packages = packages(advisories);
    int[][] hosts = new int[2][2];
    int installedOn = 0;
    SortedSet<String> open = new TreeSet<>();
    for (Group group : groups) {
      int before = affected(advisories, group.before());
      int after = affected(advisories, group.after());
      hosts[before][after] += group.hosts();
      if (has(group.before(), packages) || has(group.after(), packages)) {
        installedOn += group.hosts();
      }
      if (after == 1) {
        open.addAll(group.names());
      }
    }
    return new CveLine(
        cve,
        ids,
        packages,
        installedOn,
        new CveCounts(hosts[1][0], hosts[0][1], hosts[1][1], hosts[0][0], unknown),
        open.stream().limit(OPEN_HOSTS_MAX).toList());
  }

  private static int affected(List<Advisory> advisories, Advisory.Host host) {
    return advisories.stream().anyMatch(advisory -> advisory.affects(host)) ? 1 : 0;
  }

  private static boolean has(Advisory.Host host, Collection<String> packages) {
    return packages.stream().anyMatch(host.versions()::containsKey);
  }

  private static SortedSet<String> packages(List<Advisory> advisories) {
    SortedSet<String> names = new TreeSet<>();
    for (Advisory advisory : advisories) {
      advisory.affected().stream().map(Affected::name).forEach(names::add);
    }
    return names;
  }
}
