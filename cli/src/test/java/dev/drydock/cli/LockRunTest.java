package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of {@code lock run} never outlives its lock, whatever becomes of who guards it. */
final class LockRunTest {
  private static final String RENEW = "POST locks/t1?action=renew";

  @TempDir Path home;
  private FakeServer server;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
    server.created("POST locks", "t1").on("DELETE locks/t1", 204, "");
  }

  @AfterEach
  void stop() throws IOException {
    started.forEach(Process::destroyForcibly);
    for (String name : List.of("leader", "child")) {
      if (Files.exists(home.resolve(name))) {
        ProcessHandle.of(pid(name)).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    server.close();
  }

  static String lock(String state, String more) {
    return "{\"id\":\"t1\",\"kind\":\"Session\",\"state\":\""
        + state
        + "\",\"hosts\":[\"h01\"],\"holder\":\"sre\",\"reason\":\"disk\""
        + more
        + "}";
  }

  private Run run(String script, String... options) throws IOException {
    return Run.against(server, home, words(script, options).toArray(String[]::new));
  }

  private List<String> words(String script, String... options) {
    List<String> words = new ArrayList<>(List.of("lock", "run", "h01", "--reason", "disk"));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "/bin/sh", "-c", "cd " + home + "; " + script));
    return words;
  }

  @Test
  void runsTheCommandUnderTheLockAndReleasesIt() throws IOException {
    server
        .on(
            "GET locks/t1",
            200,
            lock("Waiting", ",\"position\":2,\"explanation\":\"h01 is held by web\""))
        .on("GET locks/t1", 200, lock("Held", ",\"token\":77"))
        .on(RENEW, 200, "");

    Run run = run("echo $DRYDOCK_LOCK_ID $DRYDOCK_LOCK_TOKEN $DRYDOCK_LOCK_HOSTS >got; exit 9");

    assertThat(run.code()).as("that of the command").isEqualTo(9);
    assertThat(run.out()).as("all of it is the command's").isEmpty();
    assertThat(run.err()).contains("waiting for h01, position 2: h01 is held by web");
    assertThat(home.resolve("got")).hasContent("t1 77 h01");
    assertThat(server.calls().getLast()).isEqualTo("DELETE locks/t1");
    assertThat(server.bodies().getFirst()).contains("\"mode\":\"Wait\"", "\"leaseSeconds\":15");
  }

  @Test
  void aRefusalSaysWhyAndRunsNothing() throws IOException {
    server.on("GET locks/t1", 200, lock("Refused", ",\"explanation\":\"h01 is held by web\""));
    Run run = run("touch ran", "--wait", "0");
    assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("refused: h01 is held by web");
    assertThat(home.resolve("ran")).doesNotExist();
    assertThat(server.bodies().getFirst()).contains("\"mode\":\"Try\"");
  }

  @Test
  void whoWaitsTooLongLeavesTheQueue() throws IOException {
    server.on("GET locks/t1", 200, lock("Waiting", ",\"explanation\":\"h01 is held by web\""));
    Run run = run("touch ran", "--wait", "1s");
    assertThat(run.code()).isEqualTo(ExitCode.TIMED_OUT);
    assertThat(run.err()).contains("not granted in time: h01 is held by web; the queue was left");
    assertThat(server.calls()).contains("DELETE locks/t1");
    assertThat(home.resolve("ran")).doesNotExist();
  }

  @Test
  void refusesBeforeAnyCallWhatCannotRun() throws IOException {
    assertThat(Run.against(server, home, "lock", "run", "h01", "--reason", "x").code())
        .isEqualTo(ExitCode.USAGE);
    Run missing =
        Run.against(server, home, "lock", "run", "h01", "--reason", "x", "--", "/no/such");
    assertThat(missing.code()).isEqualTo(ExitCode.USAGE);
    assertThat(missing.err()).contains("there is no program /no/such");
    assertThat(run("true", "--lease", "2s").code()).isEqualTo(ExitCode.USAGE);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void losingTheLockEndsTheWholeProcessGroup() throws IOException {
    held().on(RENEW, 200, "").on(RENEW, 409, error("LOCK_BROKEN", "taken by admin"));

    Run run = run("sleep 300 & echo $! >child; echo $$ >leader; wait", "--lease", "6s");

    assertThat(run.code()).isEqualTo(ExitCode.DEGRADED);
    assertThat(run.err()).contains("lock t1 was lost, and the command ended: taken by admin");
    gone("leader", "child");
  }

  @Test
  void whatIgnoresTheTermIsKilled() throws IOException {
    held().on(RENEW, 200, "").on(RENEW, 409, error("LOCK_LAPSED", "it lapsed"));

    Run run = run("trap '' TERM; echo $$ >leader; while :; do sleep 1; done", "--lease", "6s");

    assertThat(run.code()).isEqualTo(ExitCode.DEGRADED);
    gone("leader");
  }

  @Test
  void aServerThatIsSilentForTooLongIsALostLock() throws IOException {
    held().on(RENEW, 200, "").on(RENEW, 503, "");
    long began = System.nanoTime();

    Run run = run("echo $$ >leader; exec sleep 300", "--lease", "6s");

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
    assertThat(run.code()).isEqualTo(ExitCode.DEGRADED);
    assertThat(run.err()).contains("could not be renewed in time");
    gone("leader");
  }

  @Test
  void theCommandEndsWhenWhoRunsItIsKilled() throws Exception {
    Process runner = runner();
    runner.destroyForcibly();
    OtherProcess.until("the group ends", () -> !alive("leader") && !alive("child"));
  }

  @Test
  void theCommandEndsWhenWhoRunsItStandsStill() throws Exception {
    OtherProcess.signal("STOP", runner().pid());
    OtherProcess.until("the group ends", () -> !alive("leader") && !alive("child"));
  }

  @Test
  void whoIsToldToEndEndsTheCommandAndTheLock() throws Exception {
    Process runner = runner();
    OtherProcess.signal("TERM", runner.pid());
    assertThat(runner.waitFor(40, TimeUnit.SECONDS)).isTrue();
    assertThat(server.calls()).contains("DELETE locks/t1");
    gone("leader", "child");
  }

  @Test
  void controlWithoutTheGuardTheCommandOutlivesItsLock() throws Exception {
    Process runner = runner();
    ProcessHandle guard =
        runner
            .descendants()
            .filter(one -> one.info().commandLine().orElse("").contains("kill -KILL"))
            .findFirst()
            .orElseThrow();
    guard.destroyForcibly();
    guard.onExit().get(20, TimeUnit.SECONDS);
    runner.destroyForcibly();
    runner.waitFor();
    long lease = System.nanoTime() + Duration.ofSeconds(7).toNanos();
    OtherProcess.until("its lease is over", () -> System.nanoTime() > lease);
    assertThat(alive("leader")).isTrue();
  }

  /** Another process that runs a command of two processes under a lease of six seconds. */
  private Process runner() throws Exception {
    held().on(RENEW, 200, "");
    String script = "sleep 300 & echo $! >child; echo $$ >leader; wait";
    Process runner = OtherProcess.drydock(server, home, words(script, "--lease", "6s"));
    started.add(runner);
    OtherProcess.until("it runs", () -> Files.exists(home.resolve("leader")) && alive("leader"));
    return runner;
  }

  private FakeServer held() {
    return server.on("GET locks/t1", 200, lock("Held", ",\"token\":77"));
  }

  private static String error(String code, String message) {
    return "{\"status\":409,\"code\":\"" + code + "\",\"message\":\"" + message + "\"}";
  }

  private void gone(String... names) {
    for (String name : names) {
      assertThat(alive(name)).as(name).isFalse();
    }
  }

  private boolean alive(String name) {
    try {
      return OtherProcess.alive(pid(name));
    } catch (IOException none) {
      return false;
    }
  }

  private long pid(String name) throws IOException {
    String text = Files.readString(home.resolve(name)).strip();
    if (text.isEmpty()) {
      throw new IOException("not written yet");
    }
    return Long.parseLong(text);
  }
}
