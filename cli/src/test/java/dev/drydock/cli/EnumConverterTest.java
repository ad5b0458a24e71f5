package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What people may choose from are the words of the contract, and nothing of how it is generated.
 */
final class EnumConverterTest extends AtServer {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rollout start --release 2 --priority | Low, Normal, High",
        "rollout start --release 2 --mode | PackageUpdate, Reimage",
        "decision answer q1 | Retry, GoOn, Abort, Wait, Requeue, Force, Quarantine, Approve,"
            + " Refuse",
        "lock break l1 --reason x --kind | HolderGone, HostLost, Emergency, Mistake, Other",
      })
  void namesTheWordsThereAre(String command, String words) throws IOException {
    for (String wrong : new String[] {"sideways", "$UNKNOWN"}) {
      Run run = run((command + " " + wrong).split(" "));
      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains("'" + wrong + "' is none of " + words + "\n");
      assertThat(run.err().replace("'$UNKNOWN'", "")).doesNotContain("UNKNOWN");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"decision answer q1 x", "subscription create s --event x"})
  void namesNoWordOfGeneratedCode(String command) throws IOException {
    Run run = run(command.split(" "));
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("'x' is none of").doesNotContain("UNKNOWN");
  }

  @ParameterizedTest
  @ValueSource(strings = {"high", "HIGH", "High"})
  void takesAWordInAnyCase(String word) throws IOException {
    server
        .created("POST rollouts", "r1")
        .on("GET rollouts/r1", 200, WatchTest.rollout("Running", 0, 0));
    String hosts =
        java.nio.file.Files.writeString(home.resolve("hosts.txt"), "\uFEFFh01\r\n").toString();
    assertThat(
            run("rollout", "start", "--hosts", hosts, "--release", "2", "--priority", word).code())
        .isZero();
    assertThat(server.bodies().toString()).contains("\"High\"").contains("\"h01\"");
  }
}
