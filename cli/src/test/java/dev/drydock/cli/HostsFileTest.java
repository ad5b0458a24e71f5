package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.ErrorDetail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostsFileTest {
  private static final Path FILE = Path.of("hosts.txt");

  private static HostsFile parse(String... lines) {
    return HostsFile.parse(FILE, List.of(lines));
  }

  private static CommandFailure refused(String... lines) {
    return catchThrowableOfType(CommandFailure.class, () -> parse(lines));
  }

  @Test
  void skipsCommentsAndBlankLines() {
    assertThat(parse("# rack 1", "h01 # the first", "", "  h02  ").hosts())
        .containsExactly("h01", "h02");
  }

  @Test
  void namesAllFaultsWithTheirLines() {
    CommandFailure commandFailure = refused("h01", "h 2", "h01", "", "-x", "h01");
    assertThat(commandFailure.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(commandFailure.lines())
        .containsExactly(
            "hosts.txt:2: 'h 2' is no host name; write one name per line",
            "hosts.txt:3: h01 is listed twice, first on line 1",
            "hosts.txt:5: '-x' is no host name; write one name per line",
            "hosts.txt:6: h01 is listed twice, first on line 1",
            "drydock: nothing was started: 4 errors");
  }

  @Test
  void refusesAnEmptyList() {
    assertThat(refused("# all done").lines())
        .containsExactly("hosts.txt: lists no host", "drydock: nothing was started: 1 error");
  }

  @Test
  void findsTheLineOfAHostTheServerRefuses() {
    HostsFile file = parse("# rack 1", "h01", "", "h99");
    assertThat(file.place(new ErrorDetail().setPath("hosts[1]"))).isEqualTo("hosts.txt:4");
    assertThat(file.place(new ErrorDetail().setPath("hosts[7]"))).isEqualTo("hosts[7]");
    assertThat(file.place(new ErrorDetail().setPath("hosts"))).isEqualTo("hosts.txt");
    assertThat(file.place(new ErrorDetail().setPath("release"))).isEqualTo("--release");
  }

  @Test
  void takesWhatEditorsOfOtherSystemsWrite(@TempDir Path home) throws IOException {
    Path file = Files.writeString(home.resolve("hosts.txt"), "\uFEFFh01\r\nh02 # two\r\n");
    assertThat(HostsFile.read(file).hosts()).containsExactly("h01", "h02");
  }

  @Test
  void expandsRangesAndKeepsTheirLine() {
    HostsFile file = parse("h01", "web[008-011].dc1", "db[1,3-5]", "r[1-2]n[1-2]");
    assertThat(file.hosts())
        .containsExactly(
            "h01",
            "web008.dc1",
            "web009.dc1",
            "web010.dc1",
            "web011.dc1",
            "db1",
            "db3",
            "db4",
            "db5",
            "r1n1",
            "r1n2",
            "r2n1",
            "r2n2");
    assertThat(file.place(new ErrorDetail().setPath("hosts[4]"))).isEqualTo("hosts.txt:2");
    assertThat(file.place(new ErrorDetail().setPath("hosts[5]"))).isEqualTo("hosts.txt:3");
  }

  @Test
  void refusesRangesThatAreNoneAndNamesWhatIsWrong() {
    assertThat(refused("a[1-", "a[x]", "a[5-1]", "a[1-999999]", "a[1-1000][1-1000]", "a]").lines())
        .containsExactly(
            "hosts.txt:1: 'a[1-' has a bracket without its other one; write a range such as"
                + " web[001-120].dc1",
            "hosts.txt:2: 'a[x]' has a range [x] that is none; write such as [001-120] or [1,3-5]",
            "hosts.txt:3: 'a[5-1]' has a range [5-1] that runs backwards",
            "hosts.txt:4: 'a[1-999999]' stands for more than 100000 hosts",
            "hosts.txt:5: 'a[1-1000][1-1000]' stands for more than 100000 hosts",
            "hosts.txt:6: 'a]' has a bracket without its other one; write a range such as"
                + " web[001-120].dc1",
            "drydock: nothing was started: 6 errors");
    assertThat(refused("a[1-3]", "a2").lines())
        .contains("hosts.txt:2: a2 is listed twice, first on line 1");
  }

  @Test
  void saysWhatANameWithADotAtItsEndProbablyIs() {
    assertThat(refused("h01.dc1.").lines())
        .contains("hosts.txt:1: 'h01.dc1.' is no host name; did you mean h01.dc1?");
  }
}
