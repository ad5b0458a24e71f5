package dev.drydock.cli;

import dev.drydock.api.ChangeCounts;
import dev.drydock.api.CveReport;
import dev.drydock.api.ForeignUpdate;
import dev.drydock.api.IncompleteHosts;
import dev.drydock.api.PackageReport;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutReport;
import dev.drydock.api.VersionPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables and sentences of the report of a rollout. */
final class ReportViews {
  private static final int NAMES_MAX = 5;

  /** One way of one package. */
  record PackagePath(PackageReport of, VersionPath path) {}

  static final Table<RolloutReport> REPORTS = Table.of(report -> report.getRollout().getId());

  static final Table<VersionPath> KERNELS =
      Table.<VersionPath>of(path -> version(path.getTo()))
          .column("KERNEL BEFORE", path -> version(path.getFrom()))
          .column("AFTER", path -> version(path.getTo()))
          .column("CHANGE", path -> path.getChange().name())
          .column("HOSTS", path -> "" + path.getHosts());

  static final Table<ForeignUpdate> FOREIGN_UPDATES =
      Table.<ForeignUpdate>of(ForeignUpdate::getHost)
          .column("CHANGED BY OTHERS", ForeignUpdate::getHost)
          .column("AFTER", update -> TableViews.time(update.getAfter()))
          .column("BEFORE", update -> TableViews.time(update.getBefore()));

  static final Table<PackagePath> PACKAGES =
      Table.<PackagePath>of(each -> each.of().getName())
          .column("PACKAGE", each -> each.of().getName())
          .column("FAMILY", each -> each.of().getFamily())
          .column("BEFORE", each -> version(each.path().getFrom()))
          .column("AFTER", each -> version(each.path().getTo()))
          .column("CHANGE", each -> each.path().getChange().name())
          .column("HOSTS", each -> "" + each.path().getHosts());

  static final Table<CveReport> CVES =
      Table.<CveReport>of(CveReport::getCve)
          .column("CVE", CveReport::getCve)
          .column("CLOSED", cve -> "" + cve.getClosed())
          .column("STILL OPEN", cve -> "" + cve.getStillOpen())
          .column("OPENED", cve -> "" + cve.getOpened())
          .column("NOT AFFECTED", cve -> "" + cve.getNotAffected())
          .column("MATCHED NOTHING", cve -> "" + cve.getMatchedNothing())
          .column("UNKNOWN", cve -> "" + cve.getUnknown())
          .column("OPEN ON", ReportViews::openOn)
          .wide("PACKAGES", cve -> String.join(",", cve.getPackages()))
          .wide("ADVISORIES", cve -> String.join(",", cve.getAdvisories()));

  private ReportViews() {}

  static Table<IncompleteHosts> incomplete(boolean allNames) {
    return Table.<IncompleteHosts>of(IncompleteHosts::getReason)
        .column("NOT COUNTED", hosts -> "" + hosts.getHosts().size())
        .column("STATE", hosts -> hosts.getState().name())
        .column("BECAUSE", IncompleteHosts::getReason)
        .column("HOST", hosts -> names(hosts.getHosts(), allNames ? Integer.MAX_VALUE : NAMES_MAX));
  }

  /** Whether it is finished, from when to when, and over how many hosts it counts. */
  static List<String> summary(RolloutReport report) {
    Rollout rollout = report.getRollout();
    Long started = report.getStartedAt();
    Long ended = report.getLastEndedAt();
    return Stream.of(
            !rollout.hasEndedAt()
                ? "NOT FINISHED: the rollout still runs, %d of %s have not ended"
                    .formatted(
                        rollout.getPending() + rollout.getInProgress(),
                        TextFormat.hosts(rollout.getHostCount()))
                : "",
            started == null || ended == null
                ? ""
                : "From the first start to the last end: " + TextFormat.duration(ended - started),
            "Counted below: %d of %s, those with complete facts"
                .formatted(report.getCompleteHosts(), TextFormat.hosts(rollout.getHostCount())))
        .filter(sentence -> !sentence.isEmpty())
        .toList();
  }

  static String totals(RolloutReport report) {
    ChangeCounts totals = report.getTotals();
    String leftOut =
        report.getPackagesLeftOut() == 0
            ? ""
            : "; %d more packages are counted and not listed"
                .formatted(report.getPackagesLeftOut());
    return "Packages of all hosts: %d upgraded, %d downgraded, %d installed, %d removed, %d unchanged%s"
        .formatted(
            totals.getUpgraded(),
            totals.getDowngraded(),
            totals.getInstalled(),
            totals.getRemoved(),
            totals.getUnchanged(),
            leftOut);
  }

  /** What the advisories come to, and which of them say nothing of any host, with the reason. */
  static List<String> cveSummary(List<CveReport> cves) {
    long open = cves.stream().filter(cve -> cve.getStillOpen() + cve.getOpened() > 0).count();
    long closed =
        cves.stream()
            .filter(cve -> cve.getStillOpen() + cve.getOpened() == 0 && cve.getClosed() > 0)
            .count();
    List<CveReport> unmatched =
        cves.stream().filter(cve -> judged(cve) == 0 && cve.getMatchedNothing() > 0).toList();
    List<String> lines = new ArrayList<>();
    lines.add(
        "CVEs: %d closed wherever they were, %d open on some host, %d not affecting any, %d that matched nothing"
            .formatted(
                closed, open, cves.size() - open - closed - unmatched.size(), unmatched.size()));
    unmatched.stream()
        .limit(NAMES_MAX)
        .map(
            cve -> "%s matched nothing: %s".formatted(cve.getCve(), cve.getMatchedNothingBecause()))
        .forEach(lines::add);
    if (unmatched.size() > NAMES_MAX) {
      lines.add("and %d more: -o json has all".formatted(unmatched.size() - NAMES_MAX));
    }
    return lines;
  }

  /** Hosts of which the advisories say something. */
  private static int judged(CveReport cve) {
    return cve.getClosed() + cve.getStillOpen() + cve.getOpened() + cve.getNotAffected();
  }

  static boolean concernsSomeHost(CveReport cve) {
    return cve.getClosed() + cve.getStillOpen() + cve.getOpened() > 0;
  }

  static List<PackagePath> paths(List<PackageReport> packages) {
    return packages.stream()
        .flatMap(of -> of.getPaths().stream().map(path -> new PackagePath(of, path)))
        .toList();
  }

  private static String openOn(CveReport cve) {
    int more = cve.getStillOpen() + cve.getOpened() - cve.getOpenHosts().size();
    return names(cve.getOpenHosts(), NAMES_MAX, more);
  }

  private static String names(List<String> names, int max) {
    return names(names, max, 0);
  }

  /** The first names; {@code unnamed} more are not in the list. */
  private static String names(List<String> names, int max, int unnamed) {
    String first = names.stream().limit(max).collect(Collectors.joining(","));
    int more = Math.max(0, names.size() - max) + unnamed;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  /** Versions side by side are separated by blanks. */
  private static String version(@Nullable String version) {
    return Objects.toString(version, "").replace(" ", ", ");
  }
}
