package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LockCommandsTest extends AtServer {
  @BeforeEach
  void start() {
    server.created("POST locks", "t1").on("DELETE locks/t1", 204, "");
  }

  private static String lock(String state, String more) {
    return LockRunTest.lock(state, more);
  }

  @Test
  void acquireWaitsLocksAndSaysHowItEnds() throws IOException {
    server
        .on("GET locks/t1", 200, lock("Waiting", ",\"position\":1,\"explanation\":\"web has it\""))
        .on("GET locks/t1", 200, lock("Held", ",\"token\":77"))
        .on("POST locks/t1?action=renew", 200, "");

    Run acquired =
        run("lock", "acquire", "h01", "web@h02", "--zone", "z1", "--reason", "disk", "--max", "1h");

    assertThat(acquired.code()).isZero();
    assertThat(acquired.out()).startsWith("LOCK  KIND").contains("t1    Session  Held");
    assertThat(acquired.err()).contains("ends in 1h00m", "1h00m later", "drydock lock release t1");
    assertThat(server.bodies().getFirst())
        .contains("\"hosts\":[\"h01\"]", "\"instances\":[\"web@h02\"]", "\"zones\":[\"z1\"]")
        .contains("\"maxSeconds\":3600", "\"leaseSeconds\":3600", "\"requestId\":");
  }

  @Test
  void acquireNamesTheOptionAtFault() throws IOException {
    FakeServer other = new FakeServer();
    other.on(
        "POST locks",
        422,
        """
        {"status":422,"code":"INVALID_TICKET","message":"1 fault","details":[
         {"path":"maxSeconds","message":"is too long"}]}\
        """);
    Run refused =
        Run.against(other, home, "lock", "acquire", "h01", "--reason", "x", "--max", "90d");
    other.close();
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("--max: is too long");
  }

  @Test
  void badTimesAndNoHostsAreRefusedBeforeAnyCall() throws IOException {
    assertThat(run("lock", "acquire", "h01", "--reason", "x", "--wait", "soon").err())
        .contains("'soon' is no length of time such as 90s, 5m or 2h30m");
    assertThat(run("lock", "acquire", "--reason", "x").err())
        .contains("name at least one HOST or --zone");
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void getTellsWhyItWaits() throws IOException {
    server.on(
        "GET locks/t1", 200, lock("Waiting", ",\"position\":3,\"explanation\":\"web has it\""));
    assertThat(run("lock", "get", "t1").out()).contains("POSITION", "3").endsWith("web has it\n");
  }

  @Test
  void getTellsWhatTheTableHasNoRoomFor() throws IOException {
    server
        .on(
            "GET locks/t1",
            200,
            lock(
                "Held",
                ",\"token\":77,\"leaseSecondsLeft\":9,\"grantedAt\":0,\"maxSeconds\":60,\"endsAt\":60000"))
        .on("GET locks/t1", 200, lock("Lapsed", ",\"token\":77,\"lapsedAt\":61000"));
    assertThat(run("lock", "get", "t1").out())
        .contains("SINCE", "1970-01-01T00:00:00Z")
        .endsWith(
            """
            fencing token 77
            its client is alive; the lease ends in 9s
            declared for at most 1m00s, until 1970-01-01T00:01:00Z
            """);
    assertThat(run("lock", "get", "t1").out())
        .endsWith("its client fell silent: lapsed at 1970-01-01T00:01:01Z\n");
  }

  @Test
  void tellsThatTheClientIsGoneAndUntilWhenTheLockExcludes() throws IOException {
    String expired =
        lock(
            "Held",
            ",\"alive\":false,\"excludesUntil\":61000,\"explanation\":\"its client is gone\"");
    server
        .on("GET locks/t1", 200, expired)
        .on("GET locks", 200, FakeServer.list(expired))
        .on("GET locks", 200, FakeServer.list(expired));
    assertThat(run("lock", "get", "t1").out())
        .contains("Session  Expired")
        .endsWith("its client is gone\nit excludes others until about 1970-01-01T00:01:01Z\n");
    assertThat(run("lock", "list").out()).contains("Session  Expired");
    assertThat(run("lock", "list", "-o", "wide").out())
        .contains("EXCLUDES UNTIL", "1970-01-01T00:01:01Z", "its client is gone");
  }

  @Test
  void watchOfAllTellsHowOneEnded() throws IOException {
    server
        .on("GET locks", 200, FakeServer.list(lock("Held", "")))
        .on("GET locks", 200, FakeServer.list())
        .on("GET locks", 401, "{\"code\":\"UNAUTHENTICATED\",\"message\":\"unknown token\"}")
        .on("GET locks/t1", 200, lock("Ended", ",\"explanation\":\"ended by sre: done\""));
    assertThat(run("lock", "watch").out().lines().map(line -> line.substring("HH:MM:SS ".length())))
        .containsExactly("t1 Held h01 by sre: disk", "t1 Ended h01 by sre: ended by sre: done");
  }

  @Test
  void watchTellsEachChangeOnceUntilTheEnd() throws IOException {
    String waiting = lock("Waiting", ",\"position\":2,\"explanation\":\"web has it\"");
    server
        .on("GET locks/t1", 200, waiting)
        .on("GET locks/t1", 200, waiting.replace("has it", "has it since 7 s"))
        .on("GET locks/t1", 200, waiting.replace("has it", "has it since 8 s"))
        .on("GET locks/t1", 503, "")
        .on("GET locks/t1", 200, lock("Held", ""))
        .on(
            "GET locks/t1",
            200,
            lock("Held", ",\"alive\":false,\"explanation\":\"its client is gone\""))
        .on("GET locks/t1", 200, lock("Held", "").replace("Session", "Quarantine"))
        .on("GET locks/t1", 200, lock("Ended", ",\"explanation\":\"ended by sre: done\""));

    Run watched = run("lock", "watch", "t1");

    assertThat(watched.code()).isZero();
    assertThat(watched.out().lines().map(line -> line.substring("HH:MM:SS ".length())))
        .containsExactly(
            "t1 Waiting h01 by sre, position 2: web has it",
            "t1 Waiting h01 by sre, position 2: web has it since 7 s",
            "t1 Held h01 by sre: disk",
            "t1 Expired h01 by sre: its client is gone",
            "t1 Quarantined h01 by sre: disk",
            "t1 Ended h01 by sre: ended by sre: done");
  }

  @Test
  void releaseRenewAndBreakSayWhatTheyDid() throws IOException {
    server.on("POST locks/t1?action=renew", 200, "").on("POST locks/t1?action=breakGlass", 200, "");
    assertThat(run("lock", "renew", "t1").err()).isEqualTo("t1 renewed\n");
    assertThat(run("lock", "release", "t1").err()).isEqualTo("t1 released\n");
    assertThat(
            run("lock", "break", "t1", "--kind", "HolderGone", "--reason", "laptop stolen").out())
        .contains("t1 is broken; its hosts stay quarantined");
    assertThat(server.bodies().getLast())
        .contains("\"kind\":\"HolderGone\"", "\"reason\":\"laptop stolen\"");
    assertThat(run("lock", "break", "t1", "--kind", "Bored", "--reason", "x").code())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void maintenanceHoldsOneHostAndGivesItBack() throws IOException {
    server
        .on("GET locks/t1", 200, lock("Waiting", ",\"explanation\":\"web has it\""))
        .on("GET locks/t1", 200, maintenance("Held"))
        .on("GET locks", 200, FakeServer.list(maintenance("Held")));

    Run started = run("host", "maintenance", "start", "h01", "--reason", "new disk", "--max", "2h");
    assertThat(started.code()).isZero();
    assertThat(started.out()).contains("Maintenance  Held");
    assertThat(started.err()).contains("web has it", "drydock host maintenance end h01");
    assertThat(server.bodies().getFirst())
        .contains("\"hold\":true", "\"maxSeconds\":7200", "\"mode\":\"Wait\"");

    assertThat(run("host", "maintenance", "end", "h01").err()).isEqualTo("h01 is given back\n");
    assertThat(server.calls().getLast()).isEqualTo("DELETE locks/t1");
  }

  @Test
  void theEndOfMaintenanceLeavesThoseWhoWaitForTheHostTheirPlaces() throws IOException {
    server.on(
        "GET locks",
        200,
        FakeServer.list(
            maintenance("Waiting").replace("t1", "t2").replace("sre", "web"),
            lock("Held", "").replace("t1", "t3"),
            maintenance("Held")));

    Run ended = run("host", "maintenance", "end", "h01");

    assertThat(ended.code()).isZero();
    assertThat(server.calls()).containsExactly("GET locks", "DELETE locks/t1");
  }

  @Test
  void whoOnlyWaitedForMaintenanceWithdrawsTheirOwnPlace() throws IOException {
    String others = maintenance("Waiting").replace("t1", "t2").replace("sre", "web");
    server
        .on("GET locks", 200, FakeServer.list(others, maintenance("Waiting")))
        .on("GET locks", 200, FakeServer.list(others))
        .on("GET principal", 200, "{\"name\":\"sre\",\"team\":\"sre\",\"role\":\"Admin\"}");

    assertThat(run("host", "maintenance", "end", "h01").err())
        .isEqualTo("h01 is not waited for any more\n");
    assertThat(server.calls().getLast()).isEqualTo("DELETE locks/t1");

    Run again = run("host", "maintenance", "end", "h01");
    assertThat(again.code()).isEqualTo(ExitCode.FAILED);
    assertThat(again.err()).contains("nobody has h01 in maintenance");
    assertThat(server.calls().getLast()).isEqualTo("GET principal");
  }

  private static String maintenance(String state) {
    return lock(state, "").replace("Session", "Maintenance");
  }
}
