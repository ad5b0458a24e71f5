package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class RepairTest extends AtServer {

  @Test
  void listsWhatWaitsForApproval() throws IOException {
    server.on(
        "GET repairApprovals",
        200,
        FakeServer.list(
            approval("g1.h01.Update.Reimage", "Open", ""),
            approval("g2.h02.Update.Reimage", "Over", "")));
    assertThat(run("repair", "list", "-o", "name").out()).isEqualTo("g1.h01.Update.Reimage\n");
    assertThat(run("repair", "list", "--all", "-o", "name").out().lines()).hasSize(2);
    assertThat(run("repair", "list", "-o", "wide").out())
        .contains("Reimage", "failed-installer: no root");
  }

  @Test
  void answersOnce() throws IOException {
    server.on(
        "POST repairApprovals/g1.h01.Update.Reimage?action=answer",
        200,
        "{\"value\":%s}"
            .formatted(
                approval(
                    "g1.h01.Update.Reimage",
                    "Answered",
                    ",\"answer\":\"Approve\",\"answeredBy\":\"ann\",\"answeredAt\":1790000000001")));
    Run run = run("repair", "answer", "g1.h01.Update.Reimage", "approve", "--reason", "go on");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Approve by ann");
    assertThat(server.bodies().getFirst())
        .contains("\"answer\":\"Approve\"", "\"reason\":\"go on\"");
  }

  @Test
  void anotherWordIsNoAnswer() throws IOException {
    Run run = run("repair", "answer", "g1.h01.Update.Reimage", "perhaps");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void oneThatWasAnsweredIsAConflict() throws IOException {
    server.on(
        "POST repairApprovals/g1.h01.Update.Reimage?action=answer",
        409,
        "{\"code\":\"QUESTION_CLOSED\",\"message\":\"question was answered already: Refuse by bob\"}");
    Run run = run("repair", "answer", "g1.h01.Update.Reimage", "approve");
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("answered already: Refuse by bob");
  }

  private static String approval(String id, String state, String more) {
    return """
    {"id":"%s","rollout":"r1","grant":"g1","host":"h01","step":"Update","action":"Reimage",
     "reason":"Update: no root","found":"failed-installer: no root","state":"%s",
     "askedAt":1790000000000%s}\
    """
        .formatted(id, state, more);
  }
}
