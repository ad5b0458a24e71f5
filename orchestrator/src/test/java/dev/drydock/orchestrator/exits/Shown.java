package dev.drydock.orchestrator.exits;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The states of the first parameter that a test says it shows, and their ends, as its arguments.
 */
public final class Shown implements ArgumentsProvider {

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Method test = context.getRequiredTestMethod();
    String machine = Machine.name(test.getParameterTypes()[0]);
    return by(test).stream()
        .filter(cell -> cell.machine().equals(machine))
        .map(cell -> Arguments.of(cell.state(), cell.end()));
  }

  /** The cells a test shows. */
  static List<Cell> by(Method test) {
    return Arrays.stream(test.getAnnotationsByType(Shows.class))
        .flatMap(
            shows ->
                Arrays.stream(shows.states())
                    .map(
                        state ->
                            new Cell(
                                Machine.name(shows.of()),
                                state,
                                shows.exit(),
                                shows.end(),
                                name(test))))
        .toList();
  }

  /** As it is asked for of Maven. */
  static String name(Method test) {
    return test.getDeclaringClass().getSimpleName() + "#" + test.getName();
  }
}
