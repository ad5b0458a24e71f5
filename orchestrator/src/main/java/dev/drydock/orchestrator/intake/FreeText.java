package dev.drydock.orchestrator.intake;

import java.util.regex.Pattern;

/** Texts of people: what they may write where they say why, and how what they sent is sent back. */
public final class FreeText {
  /** In words, for who wrote something else. */
  public static final String MUST = "must be text of at most 4000 characters";

  private static final Pattern TEXT = Pattern.compile("[^\\x00\\p{Cs}]{0,4000}");

  private FreeText() {}

  public static boolean fits(String text) {
    return TEXT.matcher(text).matches();
  }

  /** What somebody sent, safe and short enough to be sent back. */
  public static String shown(String sent) {
    String printable = sent.replaceAll("[^\\p{Graph} ]", "?");
    return '"' + (printable.length() > 80 ? printable.substring(0, 80) + "…" : printable) + '"';
  }
}
