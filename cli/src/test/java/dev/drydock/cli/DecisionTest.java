package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class DecisionTest extends AtServer {

  @Test
  void listsWhatWaitsForAnAnswer() throws IOException {
    server.on("GET decisions", 200, FakeServer.list(decision("g1.1", "Open", "")));
    server.on(
        "GET decisions",
        200,
        FakeServer.list(decision("g1.1", "Open", ""), decision("g2.1", "Expired", "")));
    assertThat(run("decision", "list", "-o", "name").out()).isEqualTo("g1.1\n");
    assertThat(run("decision", "list", "--all", "-o", "name").out()).isEqualTo("g1.1\ng2.1\n");
    assertThat(server.paths().getFirst()).contains("open=true");
    assertThat(server.paths().getLast()).contains("open=false");
    assertThat(run("decision", "list").out())
        .contains("h01 was not drained within 300 s (stuck: 3 of 40 requests left)");
  }

  @Test
  void showsTheChoicesAndWhatHappensThen() throws IOException {
    server.on("GET decisions/g1.1", 200, decision("g1.1", "Open", ""));
    assertThat(run("decision", "show", "g1.1").out())
        .contains("Force", "open requests fail", "an operator, and an owner")
        .contains("Without an answer: tried again later");
    assertThat(run("decision", "show", "g1.1", "-o", "json").out())
        .contains("consequence")
        .doesNotContain("Without an answer");
  }

  @Test
  void saysThatForceWaitsForSomebodyElse() throws IOException {
    server.on(
        "POST decisions/g1.1?action=answer",
        200,
        "{\"value\":%s}"
            .formatted(
                decision(
                    "g1.1", "AwaitsApproval", ",\"proposed\":\"Force\",\"proposedBy\":\"ann\"")));
    Run run = run("decision", "answer", "g1.1", "force", "--reason", "it hangs");
    assertThat(run.code()).isZero();
    assertThat(run.err())
        .isEqualTo(
            "drydock: somebody else has to approve it: drydock decision answer g1.1 Force\n");
    assertThat(run.out()).contains("Force asked by ann, waits for a second person");
    assertThat(server.bodies().getFirst())
        .contains("\"option\":\"Force\"", "\"reason\":\"it hangs\"");
  }

  @Test
  void anAnswerThatComesTooLateIsAConflictWithWhatWasDecided() throws IOException {
    server.on(
        "POST decisions/g1.1?action=answer",
        409,
        "{\"code\":\"DECISION_CLOSED\",\"message\":\"decision g1.1 was decided already: Requeue by"
            + " drydock\"}");
    Run run = run("decision", "answer", "g1.1", "wait");
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("Requeue by drydock");
    assertThat(run("decision", "answer", "g1.1", "perhaps").code()).isEqualTo(ExitCode.USAGE);
  }

  private static String decision(String id, String state, String more) {
    return """
    {"id":"%s","kind":"LateDrain","rollout":"r1","grant":"g1","hosts":["h01"],"step":"Drain",
     "reason":"h01 was not drained within 300 s (stuck: 3 of 40 requests left)","state":"%s",
     "facts":{"onTimeout":"Ask","pace":"Stuck"},"otherwise":"tried again later",
     "choices":[{"option":"Force","consequence":"open requests fail","needs":"an operator",
                 "needsSecond":"an owner"}],
     "askedAt":1790000000000,"expiresAt":1790003600000%s}\
    """
        .formatted(id, state, more);
  }
}
