package dev.drydock.proto.reference;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.schema.EnumDataSchema;
import com.linkedin.data.schema.NamedDataSchema;
import dev.drydock.proto.typescript.Schemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/events.md} is what the schemas say. {@code make reference} writes it. */
class ReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/events.md");
  private static final String TOP =
      """
      # Events

      Written by `make reference` from the schemas.

      Everything that happens to a rollout, a host, a batch, a job or a lock is one event. Events have numbers without gaps, and are
      kept for `events.keepHours` of the [configuration](configuration.md). There are two ways to read them:

      | call | answers |
      |---|---|
      | `GET /api/events?q=after&cursor=C[&rollout=R][&host=H][&kinds=List(A,B)][&waitMillis=0..30000][&count=1..1000]` | a page; `metadata.cursor` is where to go on |
      | `GET /api/stream?after=C[&rollout=R][&host=H][&kind=K]` | server-sent events whose ids are the cursors; `Last-Event-ID` works too |

      Without a cursor a reader begins now, with `0` at the oldest event kept. 410 `CursorGone` says that what follows the cursor is not kept any more.

      New kinds are added; a reader skips those it does not know.

      """;

  @Test
  void thePageHasEveryKindOfEvent() throws IOException {
    String wanted = page(Schemas.read(Path.of("src/main/pegasus")));
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(PAGE, wanted);
    }
    assertThat(Files.readString(PAGE))
        .as(PAGE + " is not what the schemas say: run `make reference`")
        .isEqualTo(wanted);
  }

  /** The control: a kind more, or another word about one, is another page. */
  @Test
  void eachKindAndItsWordsAreOnThePage() {
    EnumDataSchema kinds = new EnumDataSchema(new com.linkedin.data.schema.Name("x.EventKind"));
    kinds.setSymbols(List.of("Sunk"), new StringBuilder());
    kinds.setSymbolDocs(Map.of("Sunk", "It is gone: depth."), new StringBuilder());
    assertThat(table(kinds)).isEqualTo("| `Sunk` | It is gone: depth. |\n");
  }

  private static String page(List<NamedDataSchema> schemas) {
    return TOP
        + "| kind | tells, and the fields of its data |\n|---|---|\n"
        + table(enumOf(schemas, "EventKind"))
        + "\n## Words of notifications\n\n"
        + "A [subscription](../how-to/webhooks.md) is told these words. One event may be several of them.\n\n"
        + "| word | told when |\n|---|---|\n"
        + table(enumOf(schemas, "NotificationEvent"));
  }

  private static EnumDataSchema enumOf(List<NamedDataSchema> schemas, String name) {
    return schemas.stream()
        .filter(schema -> schema.getName().equals(name))
        .map(EnumDataSchema.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private static String table(EnumDataSchema kinds) {
    StringBuilder rows = new StringBuilder();
    for (String kind : kinds.getSymbols()) {
      String text = kinds.getSymbolDocs().getOrDefault(kind, "").strip().replaceAll("\\s+", " ");
      rows.append("| `%s` | %s |%n".formatted(kind, text.replace("|", "\\|")));
    }
    return rows.toString();
  }
}
