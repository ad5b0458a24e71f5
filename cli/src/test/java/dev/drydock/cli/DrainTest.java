package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class DrainTest extends AtServer {

  @Test
  void listsWhatWaitsForAnAnswer() throws IOException {
    server.on(
        "GET drainQuestions",
        200,
        FakeServer.list(question("g1.1", "Open", ""), question("g2.1", "Expired", "")));
    assertThat(run("drain", "list", "-o", "name").out()).isEqualTo("g1.1\n");
    assertThat(run("drain", "list", "--all", "-o", "name").out()).isEqualTo("g1.1\ng2.1\n");
    assertThat(run("drain", "list").out())
        .contains("h01 was not drained within 300 s (stuck: 3 of 40 requests left)");
  }

  @Test
  void saysThatForceWaitsForSomebodyElse() throws IOException {
    server.on(
        "POST drainQuestions/g1.1?action=answer",
        200,
        "{\"value\":%s}".formatted(question("g1.1", "AwaitsApproval", ",\"forceBy\":\"ann\"")));
    Run run = run("drain", "answer", "g1.1", "force", "--reason", "it hangs");
    assertThat(run.code()).isZero();
    assertThat(run.err())
        .isEqualTo("drydock: somebody else has to approve it: drydock drain answer g1.1 Force\n");
    assertThat(run.out()).contains("Force asked by ann");
    assertThat(server.bodies().getFirst())
        .contains("\"answer\":\"Force\"", "\"reason\":\"it hangs\"");
  }

  @Test
  void anAnswerThatComesTooLateIsAConflictWithWhatWasDecided() throws IOException {
    server.on(
        "POST drainQuestions/g1.1?action=answer",
        409,
        "{\"code\":\"QUESTION_CLOSED\",\"message\":\"question g1.1 was decided already: Requeue by"
            + " drydock\"}");
    Run run = run("drain", "answer", "g1.1", "wait");
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("Requeue by drydock");
    assertThat(run("drain", "answer", "g1.1", "perhaps").code()).isEqualTo(ExitCode.USAGE);
  }

  private static String question(String id, String state, String more) {
    return """
    {"id":"%s","rollout":"r1","grant":"g1","hosts":["h01"],"onTimeout":"Ask","pace":"Stuck",
     "reason":"h01 was not drained within 300 s (stuck: 3 of 40 requests left)","state":"%s",
     "askedAt":1790000000000,"expiresAt":1790003600000%s}\
    """
        .formatted(id, state, more);
  }
}
