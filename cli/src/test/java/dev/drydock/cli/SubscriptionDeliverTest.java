package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is asked for in vain is refused before anything is fetched. */
final class SubscriptionDeliverTest extends AtServer {
  private Run deliver(String... options) throws IOException {
    String[] words = {"subscription", "deliver", "team-a"};
    Run run = run(Stream.of(words, options).flatMap(Arrays::stream).toArray(String[]::new));
    assertThat(server.calls()).isEmpty();
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    return run;
  }

  @Test
  void nothingIsSignedInAFolder() throws IOException {
    Path secret = Files.writeString(home.resolve("secret"), "k3y");
    Run refused = deliver("--to", "file:" + home, "--secret-file", secret.toString());
    assertThat(refused.err()).contains("files in a folder carry no signature");
  }

  @Test
  void aFolderHasToBeThere() throws IOException {
    Run refused = deliver("--to", "file:" + home.resolve("nowhere"));
    assertThat(refused.err()).contains("must be a folder that can be written to");
  }

  @Test
  void onlyTheWebAndFoldersTakeNotifications() throws IOException {
    Run refused = deliver("--to", "ftp://desk.example/in");
    assertThat(refused.err()).contains("must look like https://HOST/PATH or file:/PATH");
  }
}
