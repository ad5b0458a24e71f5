package dev.drydock.server.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which simple names stand for several types of the product, the records of the wire included. A
 * name in a stack trace, a review or a search should say which type it is.
 */
final class TypeNames {

  /**
   * A name that may stand twice.
   *
   * @param name the simple name
   * @param why what would be worse with two names
   */
  record Shared(String name, String why) {}

  static final List<Shared> ALLOWED =
      List.of(
          new Shared("Main", "each program begins in its own, as everywhere in Java"),
          new Shared("Decision", "what people decide: the same thing in the core and on the wire"),
          new Shared("Principal", "who calls: the same thing in the server and on the wire"),
          new Shared("RepairAction", "the same constants in the core and on the wire"));

  private TypeNames() {}

  /** Names with the files below the folders that declare a type of that name, if several do. */
  static Map<String, List<Path>> twice(List<Path> folders) {
    Map<String, List<Path>> files =
        folders.stream()
            .flatMap(TypeNames::sources)
            .collect(Collectors.groupingBy(TypeNames::name, TreeMap::new, Collectors.toList()));
    files.values().removeIf(same -> same.size() == 1);
    return files;
  }

  private static Stream<Path> sources(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().matches(".*\\.(java|pdl)"))
          .filter(file -> !file.endsWith("package-info.java"))
          .toList()
          .stream();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString().replaceFirst("\\.\\w+$", "");
  }
}
