package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class RecoveryTest extends AtServer {

  @Test
  void showsWhichStoreIsBehindAndWhatIsWaitedFor() throws IOException {
    server.on(
        "GET recovery",
        200,
        """
        {"recovering":true,"behind":"etcd","reason":"beat 3, not 9",
         "since":1000,"hosts":5,"read":3,"waitsFor":"hosts to be read back: h1, h2"}
        """);
    assertThat(run("recovery", "status").out())
        .isEqualTo(
            """
            STORES      BEHIND  SINCE                 READ    WAITS FOR                      REASON
            recovering  etcd    1970-01-01T00:00:01Z  3 of 5  hosts to be read back: h1, h2  beat 3, not 9
            """);
    assertThat(run("recovery", "status", "-o", "name").out()).isEqualTo("recovering\n");
  }

  @Test
  void saysThatNothingIsRecovered() throws IOException {
    server.on("GET recovery", 200, "{\"recovering\":false}");
    assertThat(run("recovery", "status", "-o", "name").out()).isEqualTo("agree\n");
  }
}
