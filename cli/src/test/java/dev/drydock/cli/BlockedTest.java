package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class BlockedTest extends AtServer {

  @Test
  void listsWhatWaitsForAnAnswer() throws IOException {
    server.on(
        "GET blockedBatches",
        200,
        FakeServer.list(batch("g1.1", "Open", ""), batch("g2.1", "Over", "")));
    assertThat(run("blocked", "list", "-o", "name").out()).isEqualTo("g1.1\n");
    assertThat(run("blocked", "list", "--all", "-o", "name").out()).isEqualTo("g1.1\ng2.1\n");
    assertThat(run("blocked", "list").out())
        .contains("AfterDeploy: catch-up of host h01: two replicas are missing");
  }

  @Test
  void answersOnce() throws IOException {
    server.on(
        "POST blockedBatches/g1.1?action=answer",
        200,
        "{\"value\":%s}"
            .formatted(batch("g1.1", "Answered", ",\"answer\":\"Retry\",\"answeredBy\":\"ann\"")));
    Run run = run("blocked", "answer", "g1.1", "retry", "--reason", "they are back");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Retry by ann");
    assertThat(server.bodies().getFirst())
        .contains("\"answer\":\"Retry\"", "\"reason\":\"they are back\"");
    assertThat(run("blocked", "answer", "g1.1", "perhaps").code()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void anImpossibleAnswerIsAConflict() throws IOException {
    server.on(
        "POST blockedBatches/g1.1?action=answer",
        409,
        "{\"code\":\"IMPOSSIBLE_ANSWER\",\"message\":\"question g1.1 cannot be answered Abort:"
            + " there is no way back any more\"}");
    Run run = run("blocked", "answer", "g1.1", "abort");
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("there is no way back any more");
  }

  private static String batch(String id, String state, String more) {
    return """
    {"id":"%s","rollout":"r1","grant":"g1","hosts":["h01"],"step":"AfterDeploy","goesBack":false,
     "reason":"AfterDeploy: catch-up of host h01: two replicas are missing","state":"%s",
     "askedAt":1790000000000%s}\
    """
        .formatted(id, state, more);
  }
}
