package dev.drydock.orchestrator.intake;

import java.util.regex.Pattern;

/** What people may write where they say why. */
public final class FreeText {
  /** In words, for who wrote something else. */
  public static final String MUST = "must be text of at most 4000 characters";

  private static final Pattern TEXT = Pattern.compile("[^\\x00\\p{Cs}]{0,4000}");

  private FreeText() {}

  public static boolean fits(String text) {
    return TEXT.matcher(text).matches();
  }
}
