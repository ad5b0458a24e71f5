package dev.drydock.proto.typescript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console's types are those of the schemas. {@code -Dtypes.write=true} brings them up to date.
 */
final class TypeScriptTest {
  private static final Path SCHEMAS = Path.of("src/main/pegasus");
  private static final Path TYPES = Path.of("../web-ui/src/api/types.gen.ts");
  private static final String RECORD =
      """
      namespace dev.drydock.api

      /** A berth. */
      record Berth {
        name: string
        /** How long, in metres. */
        length: int = 12
        tags: map[string, string] = {}
        ships: array[string] = []
        guard: optional Guard
      }
      """;
  private static final String ENUM =
      """
      namespace dev.drydock.api

      /** Who watches. */
      enum Guard {
        /** Nobody. */
        None
        Dog
      }
      """;

  @TempDir private Path folder = Path.of("");

  @Test
  void theConsoleHasTheTypesOfTheSchemas() throws IOException {
    String wanted = TypeScript.of(Schemas.read(SCHEMAS));
    if (Boolean.getBoolean("types.write")) {
      Files.writeString(TYPES, wanted);
    }
    assertThat(Files.readString(TYPES))
        .as(TYPES + " is not what the schemas say: run `make types`")
        .isEqualTo(wanted);
  }

  @Test
  void recordsEnumsDefaultsAndDocsAreKept() throws IOException {
    schema("Berth", RECORD);
    schema("Guard", ENUM);
    assertThat(TypeScript.of(Schemas.read(folder)))
        .endsWith(
            """

            /** A berth. */
            export interface Berth {
              readonly name: string;
              /** How long, in metres. */
              readonly length: number;
              readonly tags: Readonly<Record<string, string>>;
              readonly ships: readonly string[];
              readonly guard?: Guard;
            }
            export const BerthDefaults = { length: 12, tags: {}, ships: [] } satisfies Partial<Berth>;
            export type BerthWire = Wire<Berth, typeof BerthDefaults>;

            /**
             * Who watches.
             * - None: Nobody.
             */
            export const GuardValues = ["None", "Dog"] as const;
            export type Guard = (typeof GuardValues)[number];
            """);
  }

  /** The control: were a schema changed and the types not, the comparison above would see it. */
  @Test
  void everyChangeOfASchemaChangesTheTypes() throws IOException {
    schema("Guard", ENUM);
    schema("Berth", RECORD);
    String before = TypeScript.of(Schemas.read(folder));
    for (String[] change :
        new String[][] {
          {"length: int = 12", "length: int = 13"},
          {"length: int = 12", "length: string = \"12\""},
          {"guard: optional Guard", "guard: Guard"},
          {"  name: string\n", ""},
          {"in metres", "in feet"},
        }) {
      assertThat(RECORD).contains(change[0]);
      schema("Berth", RECORD.replace(change[0], change[1]));
      assertThat(TypeScript.of(Schemas.read(folder))).as(change[1]).isNotEqualTo(before);
    }
  }

  @Test
  void saysWhichSchemaCannotBeRead() throws IOException {
    schema("Guard", "namespace dev.drydock.api\nenum Gard {");
    assertThatThrownBy(() -> Schemas.read(folder)).hasMessageContaining("dev.drydock.api.Guard");
  }

  private void schema(String name, String text) throws IOException {
    Path file = folder.resolve("dev/drydock/api/" + name + ".pdl");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
