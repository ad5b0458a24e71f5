package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.VersionChange;
import dev.drydock.orchestrator.report.ReportContents.CveLine;
import dev.drydock.orchestrator.report.ReportContents.Incomplete;
import dev.drydock.orchestrator.report.ReportContents.PackageLine;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a report counts, on a real PostgreSQL, against counting by hand. */
@Tag("stack")
class ReportStoreTest {
  private static TestDatabase database;
  private static Fleet fleet;
  private static ReportStore reports;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    reports = new ReportStore(database.jdbi());
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void listsDifferingWaysOfAPackageOnLinesOfTheirOwn() {
    rollout("r1", "a1", "a2", "a3", "a4", "a5");
    for (String host : List.of("a1", "a2", "a3")) {
      fleet.told("r1", host, "web 1.0\nsame 1\n", "web 1.1\nsame 1\n");
    }
    fleet.told("r1", "a4", "web 0.9\nsame 1\n", "web 1.1\nsame 1\n");
    fleet.told("r1", "a5", "gone 2\nsame 1\n", "web 1.1\nsame 1\n");
    ReportContents report = report("r1", false);
    assertThat(ways(report))
        .containsExactly(
            "gone: 2 > - on 1", "web: 1.0 > 1.1 on 3", "web: - > 1.1 on 1", "web: 0.9 > 1.1 on 1");
    assertThat(report.packages().get(1).counts())
        .isEqualTo(Map.of(VersionChange.Upgraded, 4L, VersionChange.Installed, 1L));
    assertThat(report.totals())
        .isEqualTo(
            Map.of(
                VersionChange.Upgraded, 4L,
                VersionChange.Installed, 1L,
                VersionChange.Removed, 1L,
                VersionChange.Unchanged, 5L));
    assertThat(ways(report("r1", true))).hasSize(5).contains("same: 1 > 1 on 5");
    assertThat(report.kernels())
        .containsExactly(
            new VersionTransition(
                Optional.of("6.1"), Optional.of("6.2"), VersionChange.Upgraded, 5));
  }

  @Test
  void namesEveryHostWithoutCompleteFacts() {
    rollout("r2", "b1", "b2", "b3", "b4", "b5");
    fleet.told("r2", "b1", "web 1.0\n", "web 1.1\n");
    fleet.told("r2", "b2", "web 1.0\n", "");
    fleet.told("r2", "b3", "", "web 1.1\n");
    fleet.told("r2", "b4", "web 1.0\n", "web 1.1 or so\n");
    fleet.asIf.are(HostUpgradeState.Quarantined, "b2");
    ReportContents report = report("r2", true);
    assertThat(report.completeHosts()).isOne();
    assertThat(report.incomplete())
        .containsExactly(
            new Incomplete(
                HostUpgradeState.Pending,
                "after the update: its package list line 1 is not NAME VERSION",
                List.of("b4")),
            new Incomplete(
                HostUpgradeState.Pending,
                "its packages before the update were not told",
                List.of("b3")),
            new Incomplete(HostUpgradeState.Pending, "its packages were never told", List.of("b5")),
            new Incomplete(
                HostUpgradeState.Quarantined,
                "its packages after the update were not told",
                List.of("b2")));
    assertThat(ways(report)).containsExactly("web: 1.0 > 1.1 on 1");
  }

  @Test
  void tellsOnHowManyHostsACveWasClosed() {
    rollout("r3", "c1", "c2", "c3", "c4", "c5", "c6");
    fleet.told("r3", "c1", "libweb 1.0\n", "libweb 1.1\n");
    fleet.told("r3", "c2", "libweb 1.0\nx 1\n", "libweb 1.1\nx 2\n");
    fleet.told("r3", "c3", "libweb 1.0\n", "libweb 1.0\n");
    fleet.told("r3", "c4", "other 1.0\n", "libweb 1.0\n");
    fleet.told("r3", "c5", "other 1.0\n", "other 1.0\n");
    String osv =
        """
        [{"id": "DSA-1", "aliases": ["CVE-2026-1"], "affected": [
           {"package": {"ecosystem": "Debian:12", "name": "libweb"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}]}]},
         {"id": "DSA-2", "aliases": ["CVE-2026-2"], "affected": [
           {"package": {"ecosystem": "Debian:12", "name": "web-source"}, "versions": ["1.0"]}]}]
        """;
    List<CveLine> cves = reports.draw("r3", false, Optional.of(osv)).orElseThrow().cves();
    assertThat(cves).extracting(CveLine::cve).containsExactly("CVE-2026-1", "CVE-2026-2");
    assertThat(cves.get(0).hosts()).isEqualTo(new ReportContents.CveCounts(2, 1, 1, 0, 1, 1));
    assertThat(cves.get(0).installedOn()).isEqualTo(4);
    assertThat(cves.get(0).openHosts()).containsExactly("c3", "c4");
    assertThat(cves.get(1).hosts()).isEqualTo(new ReportContents.CveCounts(0, 0, 0, 0, 5, 1));
    assertThat(cves.get(1).installedOn()).as("nobody has a package of this name").isZero();
    assertThat(cves.get(1).packages()).containsExactly("web-source");
  }

  @Test
  void thereIsNoReportOfAnUnknownRollout() {
    assertThat(reports.draw("r404", false, Optional.empty())).isEmpty();
  }

  /** Random fleets: what the report counts is what counting host by host gives, and adds up. */
  @Test
  void countsAsCountingHostByHostDoes() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", 4);
    for (int run = 0; run < runs; run++) {
      Random random = new Random(seed + run);
      Map<String, Integer> byHand = random(random, "p" + run);
      ReportContents report = report("p" + run, true);
      assertThat(complaint(report, byHand))
          .as("repeat with -Dprop.seed=%d -Dprop.runs=1", seed + run)
          .isEmpty();
    }
  }

  /** The control of the test above: a report without removed packages is noticed. */
  @Test
  void noticesAReportThatForgetsRemovedPackages() {
    Map<String, Integer> byHand = random(new Random(42), "control");
    ReportContents sound = report("control", true);
    assertThat(complaint(sound, byHand)).isEmpty();
    List<PackageLine> forgetful =
        sound.packages().stream()
            .map(
                line ->
                    new PackageLine(
                        line.family(),
                        line.name(),
                        line.counts(),
                        line.ways().stream()
                            .filter(versionTransition -> versionTransition.to().isPresent())
                            .toList()))
            .toList();
    ReportContents planted =
        new ReportContents(
            sound.rollout(),
            sound.span(),
            sound.completeHosts(),
            sound.incomplete(),
            sound.foreignUpdates(),
            sound.kernels(),
            sound.totals(),
            forgetful,
            0,
            sound.cves());
    assertThat(complaint(planted, byHand)).isNotEmpty();
  }

  /** A rollout of random hosts; answers how many went each way, counted one by one. */
  private static Map<String, Integer> random(Random random, String rollout) {
    String[] hosts = new String[12];
    for (int i = 0; i < hosts.length; i++) {
      hosts[i] = rollout + "-" + i;
    }
    rollout(rollout, hosts);
    Map<String, Integer> ways = new TreeMap<>();
    for (String host : hosts) {
      Map<String, String> before = packages(random, Map.of());
      Map<String, String> after = packages(random, before);
      boolean complete = random.nextInt(5) > 0;
      fleet.told(rollout, host, text(before), complete ? text(after) : "");
      if (complete) {
        Map<String, String> every = new HashMap<>(before);
        every.putAll(after);
        every
            .keySet()
            .forEach(
                name ->
                    ways.merge(
                        way(name, before.getOrDefault(name, "-"), after.getOrDefault(name, "-")),
                        1,
                        Integer::sum));
      }
    }
    return ways;
  }

  private static Map<String, String> packages(Random random, Map<String, String> start) {
    Map<String, String> packages = new TreeMap<>(start);
    packages.put("always", "1");
    for (int i = 0; i < 6; i++) {
      if (random.nextInt(3) > 0) {
        packages.put("p" + i, "1." + random.nextInt(3));
      } else {
        packages.remove("p" + i);
      }
    }
    return packages;
  }

  private static String text(Map<String, String> packages) {
    StringBuilder text = new StringBuilder();
    packages.forEach((name, version) -> text.append(name + " " + version + "\n"));
    return text.toString();
  }

  private static List<String> complaint(ReportContents report, Map<String, Integer> byHand) {
    List<String> complaints = new ArrayList<>();
    Map<String, Integer> counted = new TreeMap<>();
    Map<VersionChange, Long> totals = new HashMap<>();
    for (PackageLine line : report.packages()) {
      for (VersionTransition versionTransition : line.ways()) {
        counted.merge(
            way(
                line.name(),
                versionTransition.from().orElse("-"),
                versionTransition.to().orElse("-")),
            versionTransition.hosts(),
            Integer::sum);
        totals.merge(versionTransition.change(), (long) versionTransition.hosts(), Long::sum);
      }
    }
    if (!counted.equals(byHand)) {
      complaints.add("by hand " + byHand + ", in the report " + counted);
    }
    if (!totals.equals(report.totals())) {
      complaints.add("the lines make " + totals + ", the totals are " + report.totals());
    }
    int missing = report.incomplete().stream().mapToInt(group -> group.hosts().size()).sum();
    if (report.completeHosts() + missing != report.rollout().getHostCount()) {
      complaints.add("hosts do not add up");
    }
    if (report.kernels().stream().mapToInt(VersionTransition::hosts).sum()
        != report.completeHosts()) {
      complaints.add("kernels do not add up");
    }
    return complaints;
  }

  private static List<String> ways(ReportContents report) {
    List<String> ways = new ArrayList<>();
    for (PackageLine line : report.packages()) {
      for (VersionTransition versionTransition : line.ways()) {
        ways.add(
            way(
                    line.name(),
                    versionTransition.from().orElse("-"),
                    versionTransition.to().orElse("-"))
                + " on "
                + versionTransition.hosts());
      }
    }
    return ways;
  }

  private static String way(String name, String from, String to) {
    return name + ": " + from + " > " + to;
  }

  private static ReportContents report(String rollout, boolean all) {
    return reports.draw(rollout, all, Optional.empty()).orElseThrow();
  }

  private static void rollout(String id, String... hosts) {
    for (String host : hosts) {
      fleet.host(host);
    }
    fleet.rollout(id, hosts);
  }
}
