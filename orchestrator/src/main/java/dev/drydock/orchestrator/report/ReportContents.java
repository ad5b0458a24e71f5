package dev.drydock.orchestrator.report;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Rollout;
import dev.drydock.api.VersionChange;
import dev.drydock.orchestrator.packages.ForeignUpdates;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What stands in the report of a rollout; all of one moment.
 *
 * @param foreignUpdates of its hosts, since it was created
 * @param totals over all packages and hosts with complete facts
 * @param packagesLeftOut packages that should be listed, but are beyond the limit
 */
public record ReportContents(
    Rollout rollout,
    Span span,
    int completeHosts,
    List<Incomplete> incomplete,
    List<ForeignUpdates.Found> foreignUpdates,
    List<VersionTransition> kernels,
    Map<VersionChange, Long> totals,
    List<PackageLine> packages,
    int packagesLeftOut,
    List<CveLine> cves) {

  /**
   * When.
   *
   * @param at when the report was drawn up
   * @param started the first host
   * @param lastEnded the last host so far
   */
  public record Span(Instant at, Optional<Instant> started, Optional<Instant> lastEnded) {}

  /** Hosts that are not counted, and why. */
  public record Incomplete(HostUpgradeState state, String reason, List<String> hosts) {}

  /**
   * One package.
   *
   * @param counts of hosts, by what became of it
   */
  public record PackageLine(
      PackageFamily family,
      String name,
      Map<VersionChange, Long> counts,
      List<VersionTransition> ways) {

    boolean changed() {
      return ways.stream().anyMatch(way -> way.change() != VersionChange.Unchanged);
    }
  }

  /**
   * One CVE.
   *
   * @param installedOn hosts that had or have one of the packages, by name
   * @param matchedNothingBecause why it says nothing about some hosts; empty where it does of all
   * @param openHosts the first that are affected after
   */
  public record CveLine(
      String cve,
      SortedSet<String> advisories,
      SortedSet<String> packages,
      int installedOn,
      CveCounts hosts,
      String matchedNothingBecause,
      List<String> openHosts) {}

  /**
   * Of hosts: affected before, after, both, neither, those of which no advisory says anything, and
   * those with incomplete facts.
   */
  public record CveCounts(
      int closed, int opened, int stillOpen, int notAffected, int matchedNothing, int unknown) {}
}
