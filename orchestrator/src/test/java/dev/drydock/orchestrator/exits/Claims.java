package dev.drydock.orchestrator.exits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** What the tests of this module say they show, as far as they run. */
final class Claims {
  private Claims() {}

  static List<Cell> ofThisModule() {
    Path classes = classes();
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith("Test.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .map(Claims::load)
          .flatMap(Claims::of)
          .sorted(Comparator.comparing(Cell::test))
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot list " + classes, unreadable);
    }
  }

  /** Those of one class; a test that does not run shows nothing. */
  static Stream<Cell> of(Class<?> tests) {
    return Arrays.stream(tests.getDeclaredMethods())
        .filter(method -> runs(tests, method))
        .flatMap(method -> Shown.by(method).stream());
  }

  private static boolean runs(Class<?> tests, Method method) {
    return !tests.isAnnotationPresent(Disabled.class)
        && !method.isAnnotationPresent(Disabled.class)
        && (method.isAnnotationPresent(Test.class)
            || method.isAnnotationPresent(ParameterizedTest.class));
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, Claims.class.getClassLoader());
    } catch (ClassNotFoundException gone) {
      throw new IllegalStateException(name + " was compiled and cannot be loaded", gone);
    }
  }

  private static Path classes() {
    try {
      return Path.of(Claims.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException odd) {
      throw new IllegalStateException("the classes of this module are at an odd place", odd);
    }
  }
}
