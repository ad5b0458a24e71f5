package dev.drydock.cli.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.cli.webhook.Receiver.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder as the receiver of what a team is told. */
class FolderReceiverTest {
  @TempDir Path folder;

  @Test
  void eachBodyIsAFileAndTheSameOneHoweverOftenItComes() throws IOException {
    FolderReceiver receiver = new FolderReceiver(folder);
    assertThat(receiver.post("4711-1", "{}")).isEqualTo(new Outcome.Taken());
    assertThat(receiver.post("4712-1", "{\"a\": 1}")).isEqualTo(new Outcome.Taken());
    assertThat(receiver.post("4711-1", "{}")).isEqualTo(new Outcome.Taken());
    assertThat(names()).containsExactly("4711-1.json", "4712-1.json");
    assertThat(folder.resolve("4712-1.json")).hasContent("{\"a\": 1}\n");
  }

  /** What was left half written by somebody who died is no ticket, and in nobody's way. */
  @Test
  void whatWasLeftHalfWrittenIsReplaced() throws IOException {
    Files.writeString(folder.resolve(".4711-1.json.new"), "{\"half");
    assertThat(new FolderReceiver(folder).post("4711-1", "{}")).isEqualTo(new Outcome.Taken());
    assertThat(names()).containsExactly("4711-1.json");
  }

  @Test
  void noIdLeadsOutOfTheFolder() throws IOException {
    new FolderReceiver(folder).post("../../etc/x", "{}");
    assertThat(names()).containsExactly(".._.._etc_x.json");
  }

  @Test
  void aFolderThatTakesNothingMayTakeItLater() {
    assertThat(new FolderReceiver(folder.resolve("gone")).post("1", "{}"))
        .isInstanceOfSatisfying(
            Outcome.Unclear.class, unclear -> assertThat(unclear.why()).contains("takes no files"));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }
}
