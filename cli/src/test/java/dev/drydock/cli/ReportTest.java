package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.RolloutReport;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ReportTest extends AtServer {
  private static final String REPORT = "POST rollouts/r1?action=report";

  private String file(String text) throws IOException {
    return Files.writeString(home.resolve("osv.json"), text).toString();
  }

  private static String report(String rollout, String packages, String cves) {
    return """
        {"value": {"rollout": %s, "at": 90000, "startedAt": 1000, "lastEndedAt": 76000,
         "completeHosts": 1,
         "incomplete": [{"state": "Quarantined", "reason": "its packages were never told",
                         "hosts": ["h02"]}],
         "kernels": [{"from": "6.1", "to": "6.2", "change": "Upgraded", "hosts": 1}],
         "totals": {"upgraded": 1, "downgraded": 0, "installed": 1, "removed": 0, "unchanged": 298},
         "packages": [%s], "cves": [%s]}}"""
        .formatted(rollout, packages, cves);
  }

  private static String web(String paths) {
    return """
        {"family": "apt", "name": "web", "paths": [%s],
         "counts": {"upgraded": 1, "downgraded": 0, "installed": 1, "removed": 0, "unchanged": 0}}"""
        .formatted(paths);
  }

  private static final String PATHS =
      """
      {"from": "1.0", "to": "1.1", "change": "Upgraded", "hosts": 3},
      {"to": "1.1", "change": "Installed", "hosts": 2}""";

  private static String cve(String name, int closed, int open, String hosts, int notAffected) {
    int matchedNothing = 31 - closed - open - notAffected;
    return """
        {"cve": "%s", "advisories": ["DSA-1"], "packages": ["libweb"], "installedOn": 9,
         "closed": %d, "stillOpen": %d, "opened": 0, "notAffected": %d, "unknown": 1,
         "matchedNothing": %d, "matchedNothingBecause": "it is about Debian:12, and hosts are fleet 2",
         "openHosts": [%s]}"""
        .formatted(name, closed, open, notAffected, matchedNothing, hosts);
  }

  @Test
  void showsWhichHostsSomebodyElseChanged() throws IOException {
    String report = report(WatchTest.rollout("Degraded", 1, 1), "", "");
    server.on(
        REPORT,
        200,
        report.replace(
            "\"kernels\"",
            "\"foreignUpdates\": [{\"host\": \"h02\", \"after\": 60000, \"before\": 90000}], \"kernels\""));
    assertThat(run("rollout", "report", "r1").out())
        .contains(
            """
            CHANGED BY OTHERS  AFTER                 BEFORE
            h02                1970-01-01T00:01:00Z  1970-01-01T00:01:30Z
            """);
  }

  @Test
  void showsWhatChanged() throws IOException {
    server.on(REPORT, 200, report(WatchTest.rollout("Degraded", 1, 1), web(PATHS), ""));
    Run shown = run("rollout", "report", "r1");
    assertThat(shown.err()).isEmpty();
    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .isEqualTo(
            """
            ROLLOUT  RELEASE  STATE     HOSTS  UPGRADED  IN PROGRESS  PENDING  OTHER
            r1       2        Degraded  2      1         0            0        1 quarantined

            From the first start to the last end: 1m15s
            Counted below: 1 of 2 hosts, those with complete facts

            NOT COUNTED  STATE        BECAUSE                       HOST
            1            Quarantined  its packages were never told  h02

            KERNEL BEFORE  AFTER  CHANGE    HOSTS
            6.1            6.2    Upgraded  1

            PACKAGE  FAMILY  BEFORE  AFTER  CHANGE     HOSTS
            web      apt     1.0     1.1    Upgraded   3
            web      apt     -       1.1    Installed  2

            Packages of all hosts: 1 upgraded, 0 downgraded, 1 installed, 0 removed, 298 unchanged
            """);
    assertThat(server.bodies().getLast()).isEqualTo("{\"all\":false}");
  }

  @Test
  void saysThatARunningRolloutIsNotFinished() throws IOException {
    server.on(REPORT, 200, report(WatchTest.rollout("Running", 1, 0), web(PATHS), ""));
    Run shown = run("rollout", "report", "r1");
    assertThat(shown.out())
        .contains("NOT FINISHED: the rollout still runs, 1 of 2 hosts have not ended\n");
    assertThat(shown.code()).isZero();
  }

  @Test
  void listsWhatConcernsSomeHostAndSumsUpTheRest() throws IOException {
    String cves =
        String.join(
            ",",
            cve("CVE-1", 9, 0, "", 22),
            cve("CVE-2", 1, 30, "\"h03\",\"h04\"", 0),
            cve("CVE-3", 0, 0, "", 5),
            cve("CVE-4", 0, 0, "", 0));
    server.on(REPORT, 200, report(WatchTest.rollout("Succeeded", 2, 0), web(PATHS), cves));
    Run shown = run("rollout", "report", "r1", "--advisories", file("[]"));
    assertThat(shown.out())
        .endsWith(
            """
            CVE    CLOSED  STILL OPEN  OPENED  NOT AFFECTED  MATCHED NOTHING  UNKNOWN  OPEN ON
            CVE-1  9       0           0       22            0                1        -
            CVE-2  1       30          0       0             0                1        h03,h04 and 28 more

            CVEs: 1 closed wherever they were, 1 open on some host, 1 not affecting any, 1 that matched nothing
            CVE-4 matched nothing: it is about Debian:12, and hosts are fleet 2
            """);
    assertThat(run("rollout", "report", "r1", "--advisories", file("[]"), "--all").out())
        .contains("\nCVE-3 ", "\nCVE-4 ");
    assertThat(server.bodies().getLast()).contains("\"all\":true", "\"advisories\":\"[]\"");
  }

  @Test
  void writesNothingButTheReportForPrograms() throws IOException {
    server.on(REPORT, 200, report(WatchTest.rollout("Degraded", 1, 1), web(PATHS), ""));
    Run json = run("rollout", "report", "r1", "-o", "json");
    assertThat(Json.readStrict(json.out(), RolloutReport.class).getCompleteHosts()).isOne();
    assertThat(run("rollout", "report", "r1", "-o", "name").out()).isEqualTo("r1\n");
    assertThat(run("rollout", "report", "r1", "-o", "yaml").out()).contains("completeHosts: 1\n");
  }

  @Test
  void fiveHundredPackagesAreFiveHundredLines() throws IOException {
    String packages =
        IntStream.range(0, 500)
            .mapToObj(i -> web(PATHS.lines().toList().get(1)).replace("web", "package" + i))
            .collect(Collectors.joining(","));
    server.on(REPORT, 200, report(WatchTest.rollout("Degraded", 1, 1), packages, ""));
    assertThat(
            run("rollout", "report", "r1").out().lines().filter(line -> line.startsWith("package")))
        .hasSize(500);
  }

  @Test
  void namesThePlaceInTheAdvisories() throws IOException {
    server.on(
        REPORT,
        422,
        """
        {"status":422,"code":"INVALID_ADVISORIES","message":"the advisories have 1 faults","details":[
         {"path":"[3].affected[0].package.name","message":"is required"}]}""");
    String osv = file("[]");
    Run refused = run("rollout", "report", "r1", "--advisories", osv);
    assertThat(refused)
        .isEqualTo(
            new Run(
                ExitCode.USAGE,
                "",
                osv
                    + ": [3].affected[0].package.name: is required\n"
                    + "drydock: the advisories have 1 faults\n"));
  }

  @Test
  void refusesAdvisoriesThatCannotBeReadBeforeAnyRequest() throws IOException {
    Run large = run("rollout", "report", "r1", "--advisories", file(" ".repeat((4 << 20) + 1)));
    assertThat(large.code()).isEqualTo(ExitCode.USAGE);
    assertThat(large.err()).contains("osv.json: is larger than 4194304 bytes");
    Run missing = run("rollout", "report", "r1", "--advisories", home.resolve("none") + "");
    assertThat(missing.err()).contains("none: there is no such file");
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void thereIsNoReportOfAnUnknownRollout() throws IOException {
    server.on(
        REPORT,
        404,
        "{\"status\":404,\"code\":\"UNKNOWN_ROLLOUT\",\"message\":\"there is no rollout r1\"}");
    assertThat(run("rollout", "report", "r1"))
        .isEqualTo(new Run(ExitCode.FAILED, "", "drydock: there is no rollout r1\n"));
  }
}
