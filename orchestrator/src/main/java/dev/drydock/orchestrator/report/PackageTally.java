package dev.drydock.orchestrator.report;

import dev.drydock.api.VersionChange;
import dev.drydock.orchestrator.report.ReportContents.PackageLine;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Puts counted ways of packages together; they come ordered by family and name.
 *
 * <p>Property: of each package the counts add up to the hosts that had or have it, and the totals
 * to the counts of all packages, listed or not.
 */
final class PackageTally {
  /** Of lines listed: beyond what a fleet has, and few enough for one answer. */
  static final int WAYS_MAX = 50_000;

  private final boolean all;
  private final int waysMax;
  private final Map<VersionChange, Long> totals = new EnumMap<>(VersionChange.class);
  private final List<PackageLine> lines = new ArrayList<>();
  private final List<VersionTransition> ways = new ArrayList<>();
  private PackageFamily packageFamily = PackageFamily.APT;
  private String name = "";
  private int waysListed;
  private int leftOut;

  /**
   * An empty tally.
   *
   * @param all whether packages that changed nowhere are listed too
   */
  PackageTally(boolean all, int waysMax) {
    this.all = all;
    this.waysMax = waysMax;
  }

  void add(PackageFamily familyOfHosts, String packageName, VersionTransition versionTransition) {
    if (familyOfHosts != packageFamily || !packageName.equals(name)) {
      flush();
      packageFamily = familyOfHosts;
      name = packageName;
    }
    ways.add(versionTransition);
  }

  /** Ends the last package. */
  PackageTally done() {
    flush();
    return this;
  }

  Map<VersionChange, Long> totals() {
    return totals;
  }

  List<PackageLine> lines() {
    return lines;
  }

  int leftOut() {
    return leftOut;
  }

  private void flush() {
    if (ways.isEmpty()) {
      return;
    }
    Map<VersionChange, Long> counts = new EnumMap<>(VersionChange.class);
    ways.forEach(
        versionTransition ->
            counts.merge(versionTransition.change(), (long) versionTransition.hosts(), Long::sum));
    counts.forEach((change, hosts) -> totals.merge(change, hosts, Long::sum));
    PackageLine line =
        new PackageLine(
            packageFamily,
            name,
            counts,
            ways.stream().sorted(VersionTransition.MOST_FREQUENT_FIRST).toList());
    ways.clear();
    if (!all && !line.changed()) {
      return;
    }
    if (waysListed + line.ways().size() > waysMax) {
      leftOut++;
      return;
    }
    waysListed += line.ways().size();
    lines.add(line);
  }
}
