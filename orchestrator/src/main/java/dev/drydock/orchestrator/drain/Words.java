package dev.drydock.orchestrator.drain;

import java.util.Locale;

/** Constants as rows and people spell them: Requeue for REQUEUE. */
final class Words {
  private Words() {}

  static String of(Enum<?> constant) {
    String name = constant.name();
    return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
  }

  static String constant(String word) {
    return word.toUpperCase(Locale.ROOT);
  }
}
