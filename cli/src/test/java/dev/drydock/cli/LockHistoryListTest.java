package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class LockHistoryListTest extends AtServer {
  private static final String PAGE =
      """
      {"elements":[{"revision":12,"at":1000,"change":"Ended","hosts":["h01","h02"],"lock":"t-1",
        "kind":"Session","holder":"kernel","by":"sre","reason":"done"}],
       "paging":{"start":0,"count":50,"total":1,"links":[]}}
      """;

  @Test
  void tellsWhatHappenedOnAHostNewestFirst() throws IOException {
    server.on("GET lockHistory", 200, PAGE);
    Run told = run("lock", "history", "--host", "h01");
    assertThat(told.code()).as(told.err()).isZero();
    assertThat(told.out())
        .contains("WRITTEN", "CHANGE")
        .containsPattern("Ended +t-1 +h01,h02 +kernel +sre +done");
  }

  @Test
  void givesABatchTheNameOfItsRolloutForAReason() throws IOException {
    server.on(
        "GET lockHistory",
        200,
        FakeServer.list(
            "{\"revision\":12,\"at\":1000,\"change\":\"Granted\",\"hosts\":[\"h01\"],\"lock\":\"g1\",\"kind\":\"Batch\",\"rollout\":\"r1\"}"));
    assertThat(run("lock", "history").out()).containsPattern("Granted +g1 .*rollout r1");
  }

  @Test
  void takesOneFilterAtMost() throws IOException {
    assertThat(run("lock", "history", "--host", "h01", "--lock", "t-1").code())
        .isEqualTo(ExitCode.USAGE);
    assertThat(server.calls()).isEmpty();
  }
}
