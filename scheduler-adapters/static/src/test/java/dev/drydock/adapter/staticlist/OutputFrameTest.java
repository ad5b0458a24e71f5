package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the shell of a host says by itself is no answer; with real shells. */
final class OutputFrameTest {
  @TempDir Path folder;

  private record Said(int code, String out) {}

  /** As sshd does it: the user's shell, which reads a start-up file, gets the command. */
  private Said run(String shell, String startUp, String command)
      throws IOException, InterruptedException {
    Path file = folder.resolve("startup");
    Files.write(file, startUp.getBytes(StandardCharsets.ISO_8859_1));
    ProcessBuilder process = new ProcessBuilder(List.of(shell, "-c", command));
    process.environment().put("BASH_ENV", file.toString());
    Process started = process.redirectErrorStream(true).start();
    String out = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Said(started.waitFor(), out);
  }

  @Test
  void whatAStartUpFileAndALogoutSayIsLeftOut() throws Exception {
    OutputFrame outputFrame = OutputFrame.fresh();
    String welcome = "echo welcome to h\u00fc; trap 'echo bye' EXIT\n";
    Said said = run("bash", welcome, outputFrame.around("echo one; echo two; exit 7"));
    assertThat(said.out()).as("the control").contains("welcome to h");
    assertThat(outputFrame.open(said.out())).contains("one\ntwo\n");
    assertThat(said.code()).isEqualTo(7);
  }

  @Test
  void whatACommandPrintsIsAsItWas() throws Exception {
    for (String command :
        List.of("true", "printf x", "printf 'x\\n'", "printf '\\n\\nx'", "echo \"it's\"", "cat")) {
      OutputFrame outputFrame = OutputFrame.fresh();
      Said plain = run("sh", "", command + " < /dev/null");
      Said framed = run("sh", "", outputFrame.around(command + " < /dev/null"));
      assertThat(outputFrame.open(framed.out())).as(command).contains(plain.out());
      assertThat(framed.code()).as(command).isEqualTo(plain.code());
    }
  }

  @Test
  void aByteThatIsNoTextStopsNothing() throws Exception {
    OutputFrame outputFrame = OutputFrame.fresh();
    Said said = run("sh", "", outputFrame.around("printf '\\374\\nend\\n'"));
    assertThat(outputFrame.open(said.out())).contains("\uFFFD\nend\n");
  }

  @Test
  void whoseShellDoesSomethingElseHasNotAnswered() throws Exception {
    OutputFrame outputFrame = OutputFrame.fresh();
    Said left = run("bash", "echo no logins today; exit 0\n", outputFrame.around("echo one"));
    assertThat(left.code()).isZero();
    assertThat(outputFrame.open(left.out())).isEmpty();
    assertThat(outputFrame.open(outputFrame.begin() + "\nhalf an ans")).isEmpty();
    assertThat(OutputFrame.fresh().open(outputFrame.begin() + "\nx\n" + outputFrame.end()))
        .as("nobody else's frame is ours")
        .isEqualTo(Optional.empty());
  }
}
