package dev.drydock.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a word of the wire contract, in any case. Of the words that people may choose from, the one
 * that generated enums have for what they do not know is none.
 */
final class EnumConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private static final String NOT_KNOWN = "$UNKNOWN";

  private final List<E> words;

  private EnumConverter(Class<E> type) {
    this.words =
        Arrays.stream(type.getEnumConstants())
            .filter(word -> !word.name().equals(NOT_KNOWN))
            .toList();
  }

  /** From now on all commands below the root read their enums by this. */
  static void register(CommandLine root) {
    for (ArgSpec argument : root.getCommandSpec().args()) {
      register(root, argument.type());
      Arrays.stream(argument.auxiliaryTypes()).forEach(type -> register(root, type));
    }
    root.getSubcommands().values().forEach(EnumConverter::register);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Of a class token, no more than its being an enum.
  private static void register(CommandLine command, Class<?> type) {
    if (type.isEnum()) {
      command.registerConverter((Class) type, new EnumConverter(type));
    }
  }

  @Override
  public E convert(String text) {
    return words.stream()
        .filter(word -> word.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is none of %s"
                        .formatted(
                            text,
                            words.stream().map(Enum::name).collect(Collectors.joining(", ")))));
  }

  /** What is shown for a word that a newer server has and this program does not know. */
  static String shown(String text) {
    return text.equals(NOT_KNOWN) ? "unknown" : text;
  }
}
