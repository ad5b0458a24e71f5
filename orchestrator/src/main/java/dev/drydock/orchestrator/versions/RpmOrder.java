package dev.drydock.orchestrator.versions;

import java.util.Comparator;

/**
 * The order of rpm versions, as rpm-version(7) defines it and rpmvercmp does it:
 *
 * <ol>
 *   <li>epochs as numbers, none is 0;
 *   <li>then the version, then the release, none before any; each from the left, where everything
 *       but letters, digits, {@code ~} and {@code ^} only separates:
 *   <li>{@code ~} is before everything, the end too; {@code ^} is after the end and before all
 *       else;
 *   <li>a run of digits is a number and newer than a run of letters, which compare by their codes;
 *   <li>who has something left is newer.
 * </ol>
 *
 * <p>Any text has a place in the order.
 */
public final class RpmOrder implements Comparator<String> {

  @Override
  public int compare(String one, String other) {
    Evr left = Evr.of(one);
    Evr right = Evr.of(other);
    int order = left.compareUpToRelease(right, RpmOrder::compareParts);
    if (order != 0) {
      return order;
    }
    return left.release().isEmpty() || right.release().isEmpty()
        ? Boolean.compare(right.release().isEmpty(), left.release().isEmpty())
        : compareParts(left.release(), right.release());
  }

  private static int compareParts(String one, String other) {
    if (one.equals(other)) {
      return 0;
    }
    int i = 0;
    int j = 0;
    while (i < one.length() || j < other.length()) {
      i = afterSeparators(one, i);
      j = afterSeparators(other, j);
      char left = i < one.length() ? one.charAt(i) : 0;
      char right = j < other.length() ? other.charAt(j) : 0;
      if (left == '~' || right == '~') {
        if (left != right) {
          return left == '~' ? -1 : 1;
        }
      } else if (left == '^' || right == '^') {
        if (left == 0 || right == 0) {
          return left == 0 ? -1 : 1;
        }
        if (left != right) {
          return left == '^' ? -1 : 1;
        }
      } else {
        if (left == 0 || right == 0) {
          break;
        }
        int end = endOfRun(one, i);
        int otherEnd = endOfRun(other, j);
        int order = compareRuns(one.substring(i, end), other.substring(j, otherEnd));
        if (order != 0) {
          return order;
        }
        i = end;
        j = otherEnd;
        continue;
      }
      i++;
      j++;
    }
    return Boolean.compare(i < one.length(), j < other.length());
  }

  private static int compareRuns(String one, String other) {
    boolean number = Evr.isDigit(one.charAt(0));
    boolean otherNumber = Evr.isDigit(other.charAt(0));
    if (number != otherNumber) {
      return number ? 1 : -1;
    }
    return number ? Evr.compareNumbers(one, other) : one.compareTo(other);
  }

  private static int afterSeparators(String text, int start) {
    int at = start;
    while (at < text.length() && isSeparator(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isSeparator(char c) {
    return !Evr.isLetter(c) && !Evr.isDigit(c) && c != '~' && c != '^';
  }

  private static int endOfRun(String text, int start) {
    if (Evr.isDigit(text.charAt(start))) {
      return Evr.endOfDigits(text, start);
    }
    int end = start;
    while (end < text.length() && Evr.isLetter(text.charAt(end))) {
      end++;
    }
    return end;
  }
}
