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
import dev.drydock.orchestrator.report.Contents;
import dev.drydock.orchestrator.report.Contents.CveLine;
import dev.drydock.orchestrator.report.Contents.PackageLine;
import dev.drydock.orchestrator.report.Way;
import dev.drydock.proto.client.Values;
import java.util.List;
import java.util.Map;

/** The contents of a report in the words of the wire. */
final class ReportRecords {
  private ReportRecords() {}

  static RolloutReport report(Contents contents) {
    RolloutReport report =
        new RolloutReport()
            .setRollout(contents.rollout())
            .setAt(contents.span().at().toEpochMilli())
            .setCompleteHosts(contents.completeHosts())
            .setIncomplete(
                new IncompleteHostsArray(
                    contents.incomplete().stream().map(ReportRecords::incomplete).toList()))
            .setForeignUpdates(
                new ForeignUpdateArray(
                    contents.foreignUpdates().stream().map(ReportRecords::foreignUpdate).toList()))
            .setKernels(paths(contents.kernels()))
            .setTotals(counts(contents.totals()))
            .setPackages(
                new PackageReportArray(
                    contents.packages().stream().map(ReportRecords::packageReport).toList()))
            .setPackagesLeftOut(contents.packagesLeftOut())
            .setCves(new CveReportArray(contents.cves().stream().map(ReportRecords::cve).toList()));
    contents.span().started().ifPresent(at -> report.setStartedAt(at.toEpochMilli()));
    contents.span().lastEnded().ifPresent(at -> report.setLastEndedAt(at.toEpochMilli()));
    return report;
  }

  private static IncompleteHosts incomplete(Contents.Incomplete hosts) {
    return new IncompleteHosts()
        .setState(hosts.state())
        .setReason(hosts.reason())
        .setHosts(Values.strings(hosts.hosts()));
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

  private static VersionPathArray paths(List<Way> ways) {
    return new VersionPathArray(ways.stream().map(ReportRecords::path).toList());
  }

  private static VersionPath path(Way way) {
    VersionPath path = new VersionPath().setChange(way.change()).setHosts(way.hosts());
    way.from().ifPresent(path::setFrom);
    way.to().ifPresent(path::setTo);
    return path;
  }

  private static CveReport cve(CveLine line) {
    return new CveReport()
        .setCve(line.cve())
        .setAdvisories(Values.strings(line.advisories()))
        .setPackages(Values.strings(line.packages()))
        .setInstalledOn(line.installedOn())
        .setClosed(line.hosts().closed())
        .setOpened(line.hosts().opened())
        .setStillOpen(line.hosts().stillOpen())
        .setNotAffected(line.hosts().notAffected())
        .setMatchedNothing(line.hosts().matchedNothing())
        .setMatchedNothingBecause(line.matchedNothingBecause())
        .setUnknown(line.hosts().unknown())
        .setOpenHosts(Values.strings(line.openHosts()));
  }
}
