package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts for hosts, run by a shell on a path of the test's own. */
final class HostrunTest {
  @TempDir Path root;

  private Ssh.Ran sh(String script, String input) throws IOException, InterruptedException {
    Process shell =
        new ProcessBuilder("sh", "-c", script.replace("/data/drydock", root.toString())).start();
    shell.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
    shell.getOutputStream().close();
    String out = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(shell.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ssh.Ran(shell.waitFor(), out, err);
  }

  @Test
  void saysThatItIsMissingAndIsInstalledInOnePiece() throws Exception {
    Hostrun hostrun = Hostrun.load();
    assertThat(sh(hostrun.call(List.of("state"), "echo rest"), "").code())
        .isEqualTo(Hostrun.MISSING);
    assertThat(sh(hostrun.install(), "damaged").code()).isEqualTo(74);
    assertThat(sh(hostrun.install(), hostrun.program()).code()).isZero();
    Path installed = Path.of(hostrun.path().replace("/data/drydock", root.toString()));
    assertThat(Files.readString(installed)).isEqualTo(hostrun.program());
    assertThat(root.resolve("bin").toFile().list()).hasSize(1);
  }

  @Test
  void goesOnOnlyWhenTheWrapperSucceeded() throws Exception {
    String echo = "#!/bin/sh\nprintf '<%s>' \"$@\"; exit $1";
    Hostrun fake =
        new Hostrun(
            echo,
            java.util.HexFormat.of()
                .formatHex(
                    java.security.MessageDigest.getInstance("SHA-256")
                        .digest(echo.getBytes(StandardCharsets.UTF_8))));
    assertThat(sh(fake.install(), echo).code()).isZero();
    Ssh.Ran good = sh(fake.call(List.of("0", "it's $HOME", "a\nb"), "echo rest"), "");
    assertThat(good).isEqualTo(new Ssh.Ran(0, "rest\n", "<0><it's $HOME><a\nb>"));
    assertThat(sh(fake.call(List.of("75"), "echo rest"), ""))
        .isEqualTo(new Ssh.Ran(75, "", "<75>"));
  }
}
