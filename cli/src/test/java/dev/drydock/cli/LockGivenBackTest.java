package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A command asks for hosts as long as it waits, and leaves nothing behind that it does not have.
 */
final class LockGivenBackTest extends AtServer {
  private static final String ACQUIRE = "lock acquire h01 --reason disk";
  private static final String MAINTENANCE = "host maintenance start h01 --reason disk";
  private static final String RUN = "lock run h01 --reason disk --lease 6s";

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
  }

  private static List<String> words(String command, String... options) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of(options));
    if (command.equals(RUN)) {
      words.addAll(List.of("--", "/bin/true"));
    }
    return words;
  }

  private Run runOf(String command, String... options) throws Exception {
    return run(words(command, options).toArray(String[]::new));
  }

  private Process other(String command) throws Exception {
    Process other = OtherProcess.drydock(server, home, words(command));
    started.add(other);
    return other;
  }

  private static String waiting() {
    return LockRunTest.lock("Waiting", ",\"position\":1,\"explanation\":\"web has it\"");
  }

  /** The same request each time, or each would be another ticket. */
  private void oneRequest() {
    assertThat(server.bodies().stream().filter(body -> body.contains("requestId")).distinct())
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {ACQUIRE, MAINTENANCE, RUN})
  void asksAgainWhileTheWaitLasts(String command) throws Exception {
    server
        .on("POST locks", 503, "")
        .on("POST locks", 503, "")
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, LockRunTest.lock("Held", ",\"token\":77"))
        .on("POST locks/t1?action=renew", 200, "")
        .on("DELETE locks/t1", 204, "");

    Run run = runOf(command);

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(server.calls()).filteredOn("POST locks"::equals).hasSize(3);
    oneRequest();
  }

  @Test
  void tellsThatTheServerIsAwayWhileItAsksAgain() throws Exception {
    server
        .on("POST locks", 503, "")
        .on("POST locks", 503, "")
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, LockRunTest.lock("Refused", ",\"explanation\":\"too large\""));
    assertThat(runOf(RUN).err().lines())
        .filteredOn(line -> line.contains("503") && line.endsWith("; asking again"))
        .hasSize(1);
  }

  @Test
  void theWaitForAServerThatIsAwayEndsToo() throws Exception {
    server.close();
    Run run = runOf(RUN, "--wait", "1s");
    assertThat(run.code()).isEqualTo(ExitCode.TIMED_OUT);
    assertThat(run.err())
        .contains("not granted in time: cannot reach " + server.url())
        .as("what nobody was sent is nowhere")
        .doesNotContain("given back");
  }

  /** The server may wait for a verdict for longer than a renewal may take. */
  @Test
  void aTryIsAnsweredOnlyOnceItIsDecided() throws Exception {
    server
        .created("POST locks", "t1", Duration.ofSeconds(3))
        .on("GET locks/t1", 200, LockRunTest.lock("Refused", ",\"explanation\":\"web has it\""));
    Run run = runOf(RUN, "--wait", "0");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.REFUSED);
    assertThat(server.calls()).filteredOn("POST locks"::equals).hasSize(1);
  }

  @Test
  void whatEnteredWithoutAnAnswerIsFoundByItsRequestAndGivenBack() throws Exception {
    server
        .on("POST locks", 503, "")
        .created("POST locks", "t1")
        .on("DELETE locks/t1", 503, "")
        .on("DELETE locks/t1", 204, "");
    Run run = runOf(RUN, "--wait", "0");
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(server.calls())
        .containsExactly("POST locks", "POST locks", "DELETE locks/t1", "DELETE locks/t1");
    oneRequest();
  }

  @ParameterizedTest
  @ValueSource(strings = {ACQUIRE, MAINTENANCE, RUN})
  void whatCannotBeWaitedForIsGivenBack(String command) throws Exception {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 500, "{\"code\":\"INTERNAL\",\"message\":\"a fault\"}")
        .on("DELETE locks/t1", 204, "");
    Run run = runOf(command);
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("a fault");
    assertThat(server.calls().getLast()).isEqualTo("DELETE locks/t1");
  }

  @Test
  void whatTheServerRefusedIsNotAskedForAgain() throws Exception {
    server.on("POST locks", 422, "{\"code\":\"UNKNOWN_HOST\",\"message\":\"no host h01\"}");
    assertThat(runOf(ACQUIRE).code()).isEqualTo(ExitCode.USAGE);
    assertThat(server.calls()).containsExactly("POST locks");
  }

  @Test
  void saysWhatMayBeLeftOfAMaintenanceThatCouldNotBeGivenBack() throws Exception {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 500, "")
        .on("DELETE locks/t1", 403, "{\"code\":\"NOT_YOURS\",\"message\":\"not yours\"}");
    assertThat(runOf(MAINTENANCE).err())
        .contains("t1 could not be given back: not yours")
        .contains("drydock lock release t1");
  }

  @ParameterizedTest
  @ValueSource(strings = {ACQUIRE, MAINTENANCE, RUN})
  void whoIsToldToEndLeavesTheQueue(String command) throws Exception {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, waiting())
        .on("DELETE locks/t1", 204, "");
    Process other = other(command);
    OtherProcess.until("it waits", () -> server.calls().contains("GET locks/t1"));
    OtherProcess.signal("INT", other.pid());
    assertThat(other.waitFor(40, TimeUnit.SECONDS)).isTrue();
    assertThat(other.exitValue()).isEqualTo(130);
    assertThat(server.calls()).contains("DELETE locks/t1");
  }

  @ParameterizedTest
  @ValueSource(strings = {ACQUIRE, MAINTENANCE, RUN})
  void whoIsToldToEndBeforeItKnowsItsTicketLeavesTheQueue(String command) throws Exception {
    server
        .created("POST locks", "t1", Duration.ofSeconds(60))
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, waiting())
        .on("DELETE locks/t1", 204, "");
    Process other = other(command);
    OtherProcess.until("it asks", () -> server.calls().contains("POST locks"));
    OtherProcess.signal("TERM", other.pid());
    assertThat(other.waitFor(40, TimeUnit.SECONDS)).isTrue();
    assertThat(other.exitValue()).isEqualTo(143);
    assertThat(server.calls()).contains("DELETE locks/t1");
    oneRequest();
  }

  @ParameterizedTest
  @ValueSource(strings = {ACQUIRE, MAINTENANCE})
  void whatWasAnsweredStays(String command) throws Exception {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, LockRunTest.lock("Held", ",\"token\":77"))
        .on("POST locks/t1?action=renew", 200, "");
    assertThat(other(command).waitFor()).isZero();
    assertThat(server.calls()).doesNotContain("DELETE locks/t1");
  }
}
