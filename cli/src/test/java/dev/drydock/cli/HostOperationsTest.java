package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class HostOperationsTest extends AtServer {

  @Test
  void aHostIsBroughtBackByARolloutThatPeopleCanFollow() throws IOException {
    server.on(
        "POST hostOperations?action=return",
        200,
        "{\"value\":{\"id\":\"r7\",\"release\":\"2\",\"hosts\":[\"h01\"],\"state\":\"Running\",\"reason\":\"\",\"createdAt\":1790000000000,\"hostCount\":1}}");
    Run run = run("host", "return", "h01", "--reason", "new fan");
    assertThat(run.code()).isZero();
    assertThat(run.err())
        .contains("rollout r7 brings h01 back on release 2", "drydock rollout watch r7");
    assertThat(server.bodies().getFirst())
        .contains("\"host\":\"h01\"", "\"reason\":\"new fan\"")
        .doesNotContain("release");
  }

  @Test
  void theReleaseCanBeSaid() throws IOException {
    server.on(
        "POST hostOperations?action=return",
        422,
        "{\"code\":\"RELEASE_NEEDED\",\"message\":\"nothing tells which release h01 is on; say it with the command.\"}");
    Run run = run("host", "return", "h01", "--release", "1");
    assertThat(server.bodies().getFirst()).contains("\"release\":\"1\"");
    assertThat(run.code()).isNotZero();
    assertThat(run.err()).contains("nothing tells which release h01 is on");
  }

  @Test
  void aQuarantineNeedsAReason() throws IOException {
    assertThat(run("host", "quarantine", "h01").code()).isEqualTo(ExitCode.USAGE);
    server.on(
        "POST hostOperations?action=quarantine", 200, "{\"value\":\"h01 is quarantined as q3\"}");
    Run run = run("host", "quarantine", "h01", "--reason", "loud fan");
    assertThat(run.out()).isEqualTo("h01 is quarantined as q3\n");
  }

  @Test
  void aHostIsWrittenOffWithAReasonAndThatCanBeTakenBack() throws IOException {
    assertThat(run("host", "write-off", "h01").code()).isEqualTo(ExitCode.USAGE);
    assertThat(run("host", "write-off", "h01", "--undo", "--reason", "both").code())
        .isEqualTo(ExitCode.USAGE);
    server.on("POST hostOperations?action=writeOff", 200, "{\"value\":\"h01 is written off\"}");
    server.on("POST hostOperations?action=undoWriteOff", 200, "{\"value\":\"h01 counts again\"}");
    assertThat(run("host", "write-off", "h01", "--reason", "burnt").out())
        .isEqualTo("h01 is written off\n");
    assertThat(server.bodies().getFirst()).contains("\"reason\":\"burnt\"");
    assertThat(run("host", "write-off", "h01", "--undo").out()).isEqualTo("h01 counts again\n");
  }

  @Test
  void whoReleasesAQuarantineIsToldThatTheHostIsNotInService() throws IOException {
    server.on(
        "GET locks/g1",
        200,
        "{\"id\":\"g1\",\"kind\":\"Quarantine\",\"state\":\"Held\",\"hosts\":[\"h01\"],\"holder\":\"sre\",\"reason\":\"ill\"}");
    server.on("POST locks/g1?action=release", 200, "{}");
    server.on("DELETE locks/g1", 200, "{}");
    Run run = run("lock", "release", "g1");
    assertThat(run.err()).contains("h01 is free, but not in service", "drydock host return h01");
  }
}
