package dev.drydock.orchestrator.api;

import dev.drydock.api.ChangeCounts;
import dev.drydock.api.CveReport;
import dev.drydock.api.CveReportArray;
import dev.drydock.api.ForeignUpdate;
import dev.drydock.api.ForeignUpdateArray;
import dev.drydock.api.IncompleteHosts;
import dev.drydock.api.IncompleteHostsArray;
import dev.drydock.api.PackageReport;
import dev.drydock.api.PackageReportArray;
import dev.drydock.api.RolloutReport;
import dev.drydock.api.VersionChange;
import dev.drydock.api.VersionPath;
import dev.drydock.api.VersionPathArray;
import dev.drydock.orchestrator.packages.ForeignUpdates;
import dev.drydock.orchestrator.report.ReportContents;
import dev.drydock.orchestrator.report.ReportContents.CveLine;
import dev.drydock.orchestrator.report.ReportContents.PackageLine;
import dev.drydock.orchestrator.report.VersionTransition;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.Map;

/** The contents of a report in the words of the wire. */
final class ReportRecords {
  private ReportRecords() {}

  static RolloutReport report(ReportContents reportContents) {
    RolloutReport report =
        new RolloutReport()
            .setRollout(reportContents.rollout())
            .setAt(reportContents.span().at().toEpochMilli())
            .setCompleteHosts(reportContents.completeHosts())
            .setIncomplete(
                new IncompleteHostsArray(
                    reportContents.incomplete().stream().map(ReportRecords::incomplete).toList()))
            .setForeignUpdates(
                new ForeignUpdateArray(
                    reportContents.foreignUpdates().stream()
                        .map(ReportRecords::foreignUpdate)
                        .toList()))
            .setKernels(paths(reportContents.kernels()))
            .setTotals(counts(reportContents.totals()))
            .setPackages(
                new PackageReportArray(
                    reportContents.packages().stream().map(ReportRecords::packageReport).toList()))
            .setPackagesLeftOut(reportContents.packagesLeftOut())
            .setCves(
                new CveReportArray(
                    reportContents.cves().stream().map(ReportRecords::cve).toList()));
    reportContents.span().started().ifPresent(at -> report.setStartedAt(at.toEpochMilli()));
    reportContents.span().lastEnded().ifPresent(at -> report.setLastEndedAt(at.toEpochMilli()));
    return report;
  }

  private static IncompleteHosts incomplete(ReportContents.Incomplete hosts) {
    return new IncompleteHosts()
        .setState(hosts.state())
        .setReason(hosts.reason())
        .setHosts(WireCollections.strings(hosts.hosts()));
  }

  private static ForeignUpdate foreignUpdate(ForeignUpdates.Found found) {
    return new ForeignUpdate()
        .setHost(found.host())
        .setAfter(found.after().toEpochMilli())
        .setBefore(found.before().toEpochMilli());
  }

  private static PackageReport packageReport(PackageLine line) {
    return new PackageReport()
        .setFamily(line.family().text())
        .setName(line.name())
        .setCounts(counts(line.counts()))
        .setPaths(paths(line.ways()));
  }

  private static ChangeCounts counts(Map<VersionChange, Long> counts) {
    return new ChangeCounts()
        .setUpgraded(counts.getOrDefault(VersionChange.Upgraded, 0L))
        .setDowngraded(counts.getOrDefault(VersionChange.Downgraded, 0L))
        .setInstalled(counts.getOrDefault(VersionChange.Installed, 0L))
        .setRemoved(counts.getOrDefault(VersionChange.Removed, 0L))
        .setUnchanged(counts.getOrDefault(VersionChange.Unchanged, 0L));
  }

  private static VersionPathArray paths(List<VersionTransition> ways) {
    return new VersionPathArray(ways.stream().map(ReportRecords::path).toList());
  }

  private static VersionPath path(VersionTransition versionTransition) {
    VersionPath path =
        new VersionPath().setChange(versionTransition.change()).setHosts(versionTransition.hosts());
    versionTransition.from().ifPresent(path::setFrom);
    versionTransition.to().ifPresent(path::setTo);
    return path;
  }

  private static CveReport cve(CveLine line) {
    return new CveReport()
        .setCve(line.cve())
        .setAdvisories(WireCollections.strings(line.advisories()))
        .setPackages(WireCollections.strings(line.packages()))
        .setInstalledOn(line.installedOn())
        .setClosed(line.hosts().closed())
        .setOpened(line.hosts().opened())
        .setStillOpen(line.hosts().stillOpen())
        .setNotAffected(line.hosts().notAffected())
        .setMatchedNothing(line.hosts().matchedNothing())
        .setMatchedNothingBecause(line.matchedNothingBecause())
        .setUnknown(line.hosts().unknown())
        .setOpenHosts(WireCollections.strings(line.openHosts()));
  }
}
