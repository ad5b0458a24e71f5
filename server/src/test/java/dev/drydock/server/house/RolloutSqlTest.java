package dev.drydock.server.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests know the tables of rollouts and batches in a few places only. */
final class RolloutSqlTest {
  private static final Path CHECKOUT = Path.of("..");

  @Test
  void onlyTheFilesThatAreListedHoldSuchSqlAndEachOfThemDoes() {
    assertThat(RolloutSql.files(CHECKOUT, modules()))
        .containsExactlyInAnyOrderElementsOf(
            RolloutSql.ALLOWED.stream().map(RolloutSql.Holder::file).toList());
  }

  @Test
  void theyAreTenAtMost() {
    assertThat(RolloutSql.ALLOWED).hasSizeLessThanOrEqualTo(10);
    assertThat(RolloutSql.ALLOWED).extracting(RolloutSql.Holder::why).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"WritesBatchRows", "ReadsBatchRows"})
  void noticesWhatIsPlanted(String planted) {
    assertThat(RolloutSql.in(source(planted))).isNotEmpty();
  }

  @Test
  void noticesEachWayInWhichSqlIsLaidOut() {
    assertThat(RolloutSql.in(source("ReadsBatchRows")))
        .containsExactly("grants", "rollouts", "jobs");
  }

  /** The control: words are no SQL. */
  @Test
  void leavesWhoUsesWordsAlone() {
    assertThat(RolloutSql.in("fleet.rows.jobs(grant); // from the rows of jobs")).isEmpty();
    assertThat(RolloutSql.in(source("Circle"))).isEmpty();
  }

  private static String source(String planted) {
    Path folder = Path.of("src/test/java/dev/drydock/server/planted/orchestrator/store");
    return read(folder.resolve(planted + ".java"));
  }

  /** Every module that has tests, as the build lists them. */
  private static List<String> modules() {
    return Pattern.compile("<module>(.+?)</module>")
        .matcher(read(CHECKOUT.resolve("pom.xml")))
        .results()
        .map(module -> module.group(1))
        .filter(module -> Files.isDirectory(CHECKOUT.resolve(module).resolve("src/test/java")))
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
