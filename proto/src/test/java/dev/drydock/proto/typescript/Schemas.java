package dev.drydock.proto.typescript;

import com.linkedin.data.schema.NamedDataSchema;
import com.linkedin.data.schema.resolver.MultiFormatDataSchemaResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The Pegasus schemas under a folder, by name. */
public final class Schemas {
  private Schemas() {}

  /**
   * All of them, sorted by name.
   *
   * @throws IllegalArgumentException if one cannot be read, with the parser's words
   */
  public static List<NamedDataSchema> read(Path root) throws IOException {
    var resolver = MultiFormatDataSchemaResolver.withBuiltinFormats(root.toString());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".pdl"))
          .map(file -> name(root.relativize(file)))
          .sorted()
          .map(name -> find(resolver, name))
          .toList();
    }
  }

  private static String name(Path relative) {
    return relative.toString().replace('/', '.').replaceFirst("\\.pdl$", "");
  }

  private static NamedDataSchema find(MultiFormatDataSchemaResolver resolver, String name) {
    StringBuilder errors = new StringBuilder();
    NamedDataSchema found = resolver.findDataSchema(name, errors);
    if (found == null) {
      throw new IllegalArgumentException(name + " cannot be read: " + errors);
    }
    return found;
  }
}
