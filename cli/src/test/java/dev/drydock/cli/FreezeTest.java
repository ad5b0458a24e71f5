package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class FreezeTest extends AtServer {
  private static final String FROZEN =
      "{\"frozen\":true,\"by\":\"sre\",\"reason\":\"bad kernel\",\"since\":1000}";

  @Test
  void freezesWithAReason() throws IOException {
    server.on("PUT freeze", 204, "");
    Run frozen = run("freeze", "--reason", "bad kernel");
    assertThat(frozen.code()).isZero();
    assertThat(frozen.out()).contains("the fleet is frozen");
    assertThat(server.bodies()).containsExactly("{\"reason\":\"bad kernel\"}");
  }

  @Test
  void asksForTheReasonBeforeAnyCall() throws IOException {
    assertThat(run("freeze").err()).contains("freeze needs --reason");
    assertThat(run("freeze").code()).isEqualTo(ExitCode.USAGE);
    assertThat(run("unfreeze").code()).isEqualTo(ExitCode.USAGE);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void saysWhoHoldsTheBrakeAlready() throws IOException {
    server.on(
        "PUT freeze",
        409,
        "{\"status\":409,\"code\":\"ALREADY_FROZEN\",\"message\":\"the fleet is frozen by web\"}");
    Run refused = run("freeze", "--reason", "mine");
    assertThat(refused.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(refused.err()).contains("frozen by web");
  }

  @Test
  void showsTheBrake() throws IOException {
    server.on("GET freeze", 200, FROZEN);
    assertThat(run("freeze", "status").out())
        .isEqualTo(
            """
            FLEET   BY   SINCE                 REASON
            frozen  sre  1970-01-01T00:00:01Z  bad kernel
            """);
    assertThat(run("freeze", "status", "-o", "name").out()).isEqualTo("frozen\n");
  }

  @Test
  void unfreezesAndSaysWhatWasLifted() throws IOException {
    server.on("GET freeze", 200, FROZEN).on("DELETE freeze", 204, "");
    assertThat(run("unfreeze", "--reason", "withdrawn").out())
        .isEqualTo("the fleet moves again; it was frozen by sre: bad kernel\n");
    assertThat(server.calls()).containsExactly("GET freeze", "DELETE freeze");
    assertThat(server.paths().getLast()).isEqualTo("freeze?reason=withdrawn&since=1000");
  }

  @Test
  void saysWhenThereWasNothingToLift() throws IOException {
    server.on("GET freeze", 200, "{\"frozen\":false}");
    assertThat(run("unfreeze", "--reason", "x").out()).isEqualTo("the fleet was not frozen\n");
    assertThat(server.calls()).as("nothing is lifted unseen").containsExactly("GET freeze");
  }

  @Test
  void saysThatAnotherFreezeIsInForceByNow() throws IOException {
    server
        .on("GET freeze", 200, FROZEN)
        .on(
            "DELETE freeze",
            409,
            "{\"status\":409,\"code\":\"ANOTHER_FREEZE\",\"message\":\"the fleet is frozen by web\"}");
    Run refused = run("unfreeze", "--reason", "withdrawn");
    assertThat(refused.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(refused.err()).contains("frozen by web");
  }
}
