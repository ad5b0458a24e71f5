package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.AuditReport;
import dev.drydock.proto.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class AuditVerifyTest extends AtServer {
  private static final String HELD =
      "{\"invariant\":\"I2\",\"title\":\"One activity\",\"verdict\":\"Held\",\"judged\":7}";
  private static final String UNKNOWN =
      """
      {"invariant":"I3","title":"FIFO","verdict":"Unknown","judged":0,"gaps":["the history has a gap"]}""";
  private static final String VIOLATED =
      """
      {"invariant":"I7","title":"Nothing lost","verdict":"Violated","judged":3,"violated":21,"violations":[
       {"object":"host/h01","at":1000,"says":"it was submitted and is in no state at all",
        "evidence":["host_upgrades r1/h01: no row"]}]}""";
  private static final String BREACHED =
      """
      {"invariant":"I1","title":"Budget","verdict":"Held","judged":3,"breached":1,"breaches":[
       {"object":"application/web","says":"2 of 4 are up: i7 fell over"}]}""";

  private Run verify(String... findings) throws IOException {
    server.on(
        "GET audits/r1",
        200,
        "{\"rollout\":\"r1\",\"at\":2000,\"findings\":[" + String.join(",", findings) + "]}");
    return run("audit", "verify", "r1");
  }

  @Test
  void saysThatAllWasHeldOnlyWhereAllWas() throws IOException {
    Run held = verify(HELD, BREACHED);
    assertThat(held.code()).as(held.err()).isEqualTo(ExitCode.OK);
    assertThat(held.out())
        .containsPattern("I2 +One activity +Held +7 +0 +0")
        .contains("I1 breached later: application/web: 2 of 4 are up: i7 fell over");
  }

  @Test
  void somethingUnknownIsNotHeld() throws IOException {
    Run unknown = verify(HELD, UNKNOWN);
    assertThat(unknown.code()).isEqualTo(ExitCode.UNKNOWN);
    assertThat(unknown.out()).contains("I3 unknown: the history has a gap");
    assertThat(verify().code()).as("nothing was judged at all").isEqualTo(ExitCode.UNKNOWN);
  }

  @Test
  void aViolationIsToldWithTheRowsItRestsOn() throws IOException {
    Run violated = verify(HELD, UNKNOWN, VIOLATED);
    assertThat(violated.code()).isEqualTo(ExitCode.VIOLATED);
    assertThat(violated.out())
        .contains(
            """
            I7 violated: host/h01 at 1970-01-01T00:00:01Z: it was submitted and is in no state at all
              host_upgrades r1/h01: no row

            I7 violated: 20 more
            """);
  }

  @Test
  void writesNothingButTheReportForPrograms() throws IOException {
    verify(VIOLATED);
    Run json = run("audit", "verify", "r1", "-o", "json");
    assertThat(json.code()).isEqualTo(ExitCode.VIOLATED);
    assertThat(Json.readStrict(json.out(), AuditReport.class).getFindings()).hasSize(1);
    assertThat(run("audit", "verify", "r1", "-o", "name").out()).isEqualTo("r1\n");
  }
}
