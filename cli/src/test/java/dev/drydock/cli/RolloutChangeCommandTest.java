package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RolloutChangeCommandTest extends AtServer {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pause  | Paused   | rollout r1 is paused; 1 host in progress, 2 waiting; drydock rollout resume r1 goes on",
        "resume | Running  | rollout r1 is running; 2 hosts waiting",
        "abort  | Aborting | rollout r1 is aborting; 1 host in progress; drydock rollout watch r1 stays until the last has ended",
      })
  void saysWhatTheRolloutIsThen(String verb, String state, String told) throws IOException {
    server.on("POST rollouts/r1?action=" + verb, 200, value(state));
    Run run = run("rollout", verb, "r1", "--reason", "look", "-o", "name");
    assertThat(run).isEqualTo(new Run(0, "r1\n", "drydock: " + told + "\n"));
    assertThat(server.bodies().getFirst()).contains("\"reason\":\"look\"");
  }

  @Test
  void hostsJoinAllOrNone() throws IOException {
    server.on("POST rollouts/r1?action=addHosts", 200, value("Running"));
    assertThat(run("rollout", "add", "r1", "h07", "h08", "-o", "name").code()).isZero();
    assertThat(server.bodies().getFirst()).contains("\"hosts\":[\"h07\",\"h08\"]");
    assertThat(run("rollout", "remove", "r1").code()).as("which hosts?").isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aRetryHasAnIdOfItsOwnAndSaysItWhenTheAnswerIsLost() throws IOException {
    server.on("POST rollouts/r1?action=retry", 200, value("Running"));
    Run run = run("rollout", "retry", "r1", "--request-id", "again", "-o", "name");
    assertThat(run.err())
        .isEqualTo("drydock: rollout r1 brings 3 hosts of rollout r1 to release 2 once more\n");
    assertThat(server.bodies().getFirst()).contains("\"requestId\":\"again\"");
  }

  @Test
  void whatTheStateDoesNotAllowIsAConflict() throws IOException {
    server.on(
        "POST rollouts/r1?action=resume",
        409,
        "{\"code\":\"ROLLOUT_STATE\",\"message\":\"rollout r1 is Succeeded: it cannot resume\"}");
    Run run = run("rollout", "resume", "r1");
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("rollout r1 is Succeeded");
  }

  private static String value(String state) {
    return """
        {"value":{"id":"r1","release":"2","state":"%s","hostCount":3,"pending":2,"inProgress":1}}"""
        .formatted(state);
  }
}
