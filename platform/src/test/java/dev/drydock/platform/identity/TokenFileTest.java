package dev.drydock.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.platform.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenFileTest {
  private static final String GOOD =
      """
      {"principals": [
        {"name": "sre", "team": "sre", "role": "operator", "token": "0123456789abcdef-sre"},
        {"name": "adapter", "team": "sre", "role": "consumer", "token": "0123456789abcdef-adapter",
         "topics": ["scheduler/static"]}
      ]}
      """;

  @TempDir private Path folder = Path.of("");

  @Test
  void knowsPrincipalsByTheirToken() throws IOException {
    TokenFile tokens = new TokenFile(write(GOOD));
    assertThat(tokens.authenticate("0123456789abcdef-adapter"))
        .contains(new Principal("adapter", "sre", Role.CONSUMER, Set.of("scheduler/static")));
    assertThat(tokens.authenticate("0123456789abcdef-sr")).isEmpty();
    assertThat(tokens.authenticate("")).isEmpty();
  }

  @Test
  void refusesAFileOthersCanRead() throws IOException {
    Path file = write(GOOD);
    for (String mode : new String[] {"rw-r--r--", "rw----r--", "rw-r-----", "rw----rw-"}) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      assertThatThrownBy(() -> new TokenFile(file))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(mode)
          .hasMessageContaining("chmod 600");
    }
  }

  @Test
  void namesAllFaultsWithTheirLines() throws IOException {
    Path file =
        write(
            """
            {"principals": [
              {"name": "a", "team": "t", "role": "boss", "token": "0123456789abcdef"},
              {"name": "a", "team": "t", "role": "viewer", "token": "short"},
              {"name": "c", "role": "viewer", "token": "0123456789abcdef", "colour": "red"}
            ]}
            """);
    assertThatThrownBy(() -> new TokenFile(file))
        .isInstanceOfSatisfying(
            ConfigException.class,
            refused ->
                assertThat(refused.faults())
                    .containsExactlyInAnyOrder(
                        "line 2: principals[0].role is boss, must be one of viewer, operator,"
                            + " owner, consumer, admin",
                        "line 3: principals[1].token is shorter than 16 characters",
                        "line 3: principals[1].name is a, which is listed twice",
                        "line 4: principals[2].team is missing",
                        "line 4: principals[2].token is the token of another principal",
                        "line 4: principals[2].colour is not a known field"));
  }

  @Test
  void neverRepeatsATokenInItsMessages() throws IOException {
    Path file = write(GOOD.replace("operator", "0").replace("0123456789abcdef-sre", "tiny-secret"));
    assertThatThrownBy(() -> new TokenFile(file))
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("tiny-secret"));
  }

  @Test
  void readsAChangedFileAgainAndKeepsTheOldOneWhenTheNewIsBroken() throws IOException {
    Path file = write(GOOD);
    TokenFile tokens = new TokenFile(file);
    change(file, GOOD.replace("abcdef-sre", "abcdef-new"), 10);
    assertThat(tokens.authenticate("0123456789abcdef-new")).isPresent();
    assertThat(tokens.authenticate("0123456789abcdef-sre")).isEmpty();
    change(file, "{\"principals\": [", 20);
    assertThat(tokens.authenticate("0123456789abcdef-new")).isPresent();
  }

  private static void change(Path file, String text, int secondsLater) throws IOException {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(secondsLater)));
  }

  private Path write(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("tokens.json"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }
}
