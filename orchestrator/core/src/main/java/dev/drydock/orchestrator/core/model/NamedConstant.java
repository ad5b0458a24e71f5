package dev.drydock.orchestrator.core.model;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A constant that has a word, as rows, events and people spell it: POWER_CYCLE is PowerCycle. */
public interface NamedConstant {

  /** Of the constant. */
  String name();

  default String word() {
    return Stream.of(name().split("_"))
        .map(part -> part.charAt(0) + part.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /**
   * The constant of a word.
   *
   * @throws IllegalArgumentException if there is none
   */
  static <E extends Enum<E> & NamedConstant> E of(Class<E> type, String word) {
    return Stream.of(type.getEnumConstants())
        .filter(constant -> constant.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s has no constant of the word %s".formatted(type.getName(), word)));
  }
}
