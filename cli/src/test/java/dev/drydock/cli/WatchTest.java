package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.Rollout;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WatchTest extends AtServer {
  @BeforeEach
  void start() {
    server.on("GET events", 200, "{\"elements\":[],\"metadata\":{\"cursor\":\"7\"}}");
  }

  static String rollout(String state, int upgraded, int quarantined) {
    return String.format(
        """
        {"id":"r1","release":"2","mode":"PackageUpdate","state":"%s","reason":"","requester":"sre","team":"sre",
         "hostCount":2,"pending":0,"inProgress":%d,"upgraded":%d,"skipped":0,"reverted":0,"quarantined":%d,
         "cancelled":0,"createdAt":1000%s}""",
        state,
        2 - upgraded - quarantined,
        upgraded,
        quarantined,
        state.equals("Running") ? "" : ",\"endedAt\":76000");
  }

  private static String host(String name, String state, String step, String reason) {
    return String.format(
        "{\"rollout\":\"r1\",\"host\":\"%s\",\"state\":\"%s\",\"step\":\"%s\",\"reason\":\"%s\"}",
        name, state, step, reason);
  }

  private void moment(String rollout, String... hosts) {
    server.on("GET rollouts/r1", 200, rollout);
    server.on("GET hostUpgrades", 200, FakeServer.list(hosts));
  }

  @Test
  void printsALinePerChange() throws IOException {
    moment(
        rollout("Running", 0, 0),
        host("h01", "InProgress", "Drain", ""),
        host("h02", "Pending", "", "waits for budget"));
    moment(
        rollout("Running", 1, 0),
        host("h01", "Upgraded", "End", ""),
        host("h02", "InProgress", "Cordon", ""));
    moment(
        rollout("Running", 1, 0),
        host("h01", "Upgraded", "End", ""),
        host("h02", "InProgress", "Cordon", ""));
    moment(
        rollout("Succeeded", 2, 0),
        host("h01", "Upgraded", "End", ""),
        host("h02", "Upgraded", "End", ""));
    Run run = run("rollout", "watch", "r1");
    assertThat(run.code()).isEqualTo(ExitCode.OK);
    assertThat(run.out().lines().map(line -> line.replaceFirst("^\\d\\d:\\d\\d:\\d\\d ", "")))
        .containsExactly(
            "h01 InProgress Drain (0/2)",
            "h01 Upgraded (1/2)",
            "h02 InProgress Cordon (1/2)",
            "h02 Upgraded (2/2)",
            "rollout r1 succeeded: 2 of 2 hosts upgraded in 1m15s");
  }

  @Test
  void endsDegradedWithTheHostsAndReasons() throws IOException {
    moment(
        rollout("Degraded", 1, 1),
        host("h01", "Upgraded", "End", ""),
        host("h02", "Quarantined", "Health", "kernel is old"));
    Run run = run("rollout", "watch", "r1", "-o", "json");
    assertThat(run.code()).isEqualTo(ExitCode.DEGRADED);
    assertThat(run.out()).startsWith("{").contains("\"hostUpgrades\":[");
    assertThat(run.err()).contains("drydock: h02 Quarantined: kernel is old");
  }

  @Test
  void countsHostsThatNeededNothing() throws IOException {
    moment(
        rollout("Succeeded", 1, 0)
            .replace("\"skipped\":0", "\"skipped\":1")
            .replace("\"inProgress\":1", "\"inProgress\":0"),
        host("h01", "Upgraded", "End", ""),
        host("h02", "Skipped", "End", "nothing to do: h02 is on release 2: 9 checks passed"));
    Run run = run("rollout", "watch", "r1");
    assertThat(run.code()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .contains("h02 Skipped: nothing to do: h02 is on release 2: 9 checks passed (2/2)")
        .endsWith("rollout r1 succeeded: 1 of 2 hosts upgraded, 1 skipped in 1m15s\n");
  }

  @Test
  void goesOnThroughARestartOfTheServer() throws IOException {
    moment(rollout("Running", 0, 0), host("h01", "InProgress", "Drain", ""));
    server
        .on("GET rollouts/r1", 503, "{\"message\":\"starting\"}")
        .on("GET rollouts/r1", 503, "{\"message\":\"starting\"}");
    moment(rollout("Succeeded", 2, 0), host("h01", "Upgraded", "End", ""));
    Run run = run("rollout", "watch", "r1", "-o", "jsonl");
    assertThat(run.code()).isEqualTo(ExitCode.OK);
    assertThat(run.err().lines())
        .containsExactly(
            "drydock: starting; trying for up to 300 s", "drydock: the server answers again");
    assertThat(run.out().lines()).hasSize(3).allMatch(line -> line.startsWith("{"));
  }

  @Test
  void waitsForEventsAndBeginsAgainWhenItsPlaceInTheFeedIsGone() throws IOException {
    FakeServer feed = new FakeServer();
    feed.on("GET events", 200, "{\"elements\":[],\"metadata\":{\"cursor\":\"7\"}}")
        .on("GET events", 410, "{\"code\":\"CursorGone\",\"message\":\"gone\"}")
        .on("GET events", 200, "{\"elements\":[],\"metadata\":{\"cursor\":\"9\"}}")
        .on("GET rollouts/r1", 200, rollout("Running", 1, 0))
        .on("GET rollouts/r1", 200, rollout("Succeeded", 2, 0))
        .on("GET hostUpgrades", 200, "{\"elements\":[]}");
    try (feed) {
      assertThat(Run.against(feed, home, "rollout", "watch", "r1").code()).isEqualTo(ExitCode.OK);
      assertThat(feed.calls())
          .containsExactly(
              "GET events",
              "GET rollouts/r1",
              "GET hostUpgrades",
              "GET events",
              "GET events",
              "GET rollouts/r1",
              "GET hostUpgrades");
    }
  }

  @Test
  void givesUpWhenItsPatienceIsOver() throws IOException {
    server.on("GET rollouts/r1", 503, "{\"message\":\"starting\"}");
    Run run = run("rollout", "watch", "r1", "--patience", "0");
    assertThat(run.code()).isEqualTo(ExitCode.TIMED_OUT);
    assertThat(run.err()).contains("the rollout goes on without this command");
  }

  @Test
  void anUnknownRolloutIsNotWaitedFor() throws IOException {
    assertThat(run("rollout", "watch", "r1").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void drawsOverItselfOnATerminal() {
    StringWriter text = new StringWriter();
    ProgressView screen =
        new ScreenProgress(
            new PrintWriter(text),
            InstantSource.fixed(Instant.ofEpochMilli(31_000)),
            new TerminalSize(24, 60));
    RolloutSnapshot now =
        new RolloutSnapshot(
            Json.read(rollout("Running", 1, 0), Rollout.class),
            List.of(
                Json.read(
                    host(
                        "h01",
                        "InProgress",
                        "Drain",
                        "waits for 3 open requests of web@h01 to end"),
                    HostUpgrade.class)));
    screen.show(now);
    String first = text.toString();
    assertThat(first)
        .contains("r1 → release 2 [###############...............] 1/2")
        .doesNotContain("\u001b[2A");
    assertThat(first.lines().map(line -> line.replaceAll("\u001b\\[\\d?[A-Z]", "")))
        .allMatch(line -> line.length() < 60);
    screen.show(now);
    assertThat(text.toString().substring(first.length())).startsWith("\u001b[2A").contains("h01");
  }

  @Test
  void showsTheUrgentHostsWhenThereIsNoRoomForAll() {
    StringWriter text = new StringWriter();
    ProgressView screen =
        new ScreenProgress(new PrintWriter(text), InstantSource.system(), new TerminalSize(5, 80));
    List<HostUpgrade> hosts =
        List.of(
            Json.read(host("h01", "Upgraded", "End", ""), HostUpgrade.class),
            Json.read(host("h02", "Quarantined", "Health", ""), HostUpgrade.class));
    screen.show(new RolloutSnapshot(Json.read(rollout("Running", 1, 1), Rollout.class), hosts));
    assertThat(text.toString())
        .contains("h02")
        .doesNotContain("h01")
        .contains("… and 1 more hosts");
  }

  @Test
  void readsTheSizeOfTheTerminal() {
    assertThat(TerminalSize.parse("50 132\n")).isEqualTo(new TerminalSize(50, 132));
    assertThat(TerminalSize.parse("0 0")).isEqualTo(new TerminalSize(24, 80));
    assertThat(TerminalSize.parse("stty: no terminal")).isEqualTo(new TerminalSize(24, 80));
  }
}
