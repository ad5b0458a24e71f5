package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class HostWhyTest extends AtServer {
  private static final String GRANTED =
      """
      {"at":60000,"decision":"Granted","rollout":"r1","lock":"g1","reason":"every rule allows it",
       "findings":[{"application":"web","rule":"maxUnavailable 1","desired":3,"up":3,"taken":1,
         "required":2,"allows":true,"detail":"application web: maxUnavailable 1 needs 2 of 3 up"}]}
      """;
  private static final String WAITING =
      "{\"at\":1000,\"decision\":\"Waiting\",\"rollout\":\"r1\",\"reason\":\"windows closed\"}";

  @Test
  void tellsTheNewestDecisionWithItsNumbersAndWhatCameBefore() throws IOException {
    server.on("GET hostDecisions", 200, FakeServer.list(GRANTED, WAITING));
    Run told = run("host", "why", "h01");
    assertThat(told.code()).as(told.err()).isZero();
    assertThat(told.out())
        .startsWith("h01: granted (rollout r1) since 1970-01-01T00:01:00Z: every rule allows it\n")
        .contains("  yes application web: maxUnavailable 1 needs 2 of 3 up\n")
        .containsPattern("Waiting +r1 +- +windows closed");
    assertThat(server.paths().toString()).contains("until=9223372036854775807");
  }

  @Test
  void asksForAMomentInThePast() throws IOException {
    server.on("GET hostDecisions", 200, FakeServer.list(WAITING));
    assertThat(run("host", "why", "h01", "--at", "1970-01-01T01:00:05+01:00").out())
        .startsWith("h01: waiting (rollout r1) since 1970-01-01T00:00:01Z: windows closed");
    assertThat(server.paths().toString()).contains("until=5000");
    Run wrong = run("host", "why", "h01", "--at", "yesterday");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err())
        .contains("'yesterday' is no moment; write such as 2026-11-21T02:30:00Z");
  }

  @Test
  void saysWhenNothingWasDecided() throws IOException {
    server.on("GET hostDecisions", 200, FakeServer.list());
    assertThat(run("host", "why", "h01").out())
        .isEqualTo("h01: nothing was decided about it yet\n");
  }

  @Test
  void tellsTheReasonThatLastsLongestAndAllOnRequest() throws IOException {
    server.on(
        "GET hostDecisions",
        200,
        FakeServer.list(WAITING.replace("closed", "closed; also too few up")));
    assertThat(run("host", "why", "h01").out())
        .isEqualTo(
            "h01: waiting (rollout r1) since 1970-01-01T00:00:01Z: windows closed (and 1 more:"
                + " --all)\n");
    assertThat(run("host", "why", "h01", "--all").out())
        .isEqualTo(
            "h01: waiting (rollout r1) since 1970-01-01T00:00:01Z: windows closed\n"
                + "  also too few up\n");
  }
}
