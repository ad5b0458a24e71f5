package dev.drydock.orchestrator.versions;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a version {@code [EPOCH:]VERSION[-RELEASE]}, the form dpkg and rpm share.
 *
 * @param epoch digits, empty for none
 * @param release empty for none; Debian calls it revision
 */
record Evr(String epoch, String version, String release) {
  private static final Pattern EPOCH = Pattern.compile("([0-9]*):(.*)", Pattern.DOTALL);

  static Evr of(String text) {
    Matcher matcher = EPOCH.matcher(text);
    boolean hasEpoch = matcher.matches();
    String rest = hasEpoch ? matcher.group(2) : text;
    int dash = rest.lastIndexOf('-');
    return new Evr(
        hasEpoch ? matcher.group(1) : "",
        dash < 0 ? rest : rest.substring(0, dash),
        dash < 0 ? "" : rest.substring(dash + 1));
  }

  /** By epochs, then by versions in the given order; releases do not count. */
  int compareUpToRelease(Evr other, Comparator<String> versions) {
    int order = compareNumbers(epoch, other.epoch);
    return order == 0 ? versions.compare(version, other.version) : order;
  }

  /** Decimal digits of any length as numbers; an empty text is 0. */
  static int compareNumbers(String one, String other) {
    String left = one.substring(leadingZeros(one));
    String right = other.substring(leadingZeros(other));
    return left.length() == right.length()
        ? left.compareTo(right)
        : Integer.compare(left.length(), right.length());
  }

  private static int leadingZeros(String digits) {
    int zeros = 0;
    while (zeros < digits.length() && digits.charAt(zeros) == '0') {
      zeros++;
    }
    return zeros;
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  /** Where the run of digits that begins at a place ends. */
  static int endOfDigits(String text, int start) {
    int end = start;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }
}
