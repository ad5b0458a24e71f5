package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.ErrorDetail;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HostsFileTest {
  private static final Path FILE = Path.of("hosts.txt");

  private static HostsFile parse(String... lines) {
    return HostsFile.parse(FILE, List.of(lines));
  }

  private static Failure refused(String... lines) {
    return catchThrowableOfType(Failure.class, () -> parse(lines));
  }

  @Test
  void skipsCommentsAndBlankLines() {
    assertThat(parse("# rack 1", "h01 # the first", "", "  h02  ").hosts())
        .containsExactly("h01", "h02");
  }

  @Test
  void namesAllFaultsWithTheirLines() {
    Failure failure = refused("h01", "h 2", "h01", "", "-x", "h01");
    assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(failure.lines())
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
}
