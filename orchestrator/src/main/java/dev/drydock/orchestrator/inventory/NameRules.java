package dev.drydock.orchestrator.inventory;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Which names the inventory accepts: they become keys, topics, paths and words of command lines.
 */
public final class NameRules {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@:-]{0,399}");
  private static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9:][A-Za-z0-9.:%_-]{0,252}");

  private NameRules() {}

  /** For hosts, applications, zones, schedulers, sources and releases. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  static boolean isInstanceId(String text) {
    return ID.matcher(text).matches();
  }

  static boolean isAddress(String text) {
    return ADDRESS.matcher(text).matches();
  }

  /**
   * Whether PostgreSQL can store the text: no NUL, no half of a surrogate pair, and not without
   * end.
   */
  static boolean isText(String text) {
    return text.length() <= 4_000
        && text.indexOf('\0') < 0
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
