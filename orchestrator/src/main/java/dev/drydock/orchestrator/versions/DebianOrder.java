package dev.drydock.orchestrator.versions;

import java.util.Comparator;

/**
 * The order of Debian versions, as deb-version(7) and Debian Policy 5.6.12 define it:
 *
 * <ol>
 *   <li>epochs as numbers, none is 0;
 *   <li>then the upstream version, then the revision, none being like 0; each from the left:
 *   <li>a run of non-digits: {@code ~} before the end, the end before letters, letters before all
 *       else;
 *   <li>then a run of digits as a number, none is 0; and so on.
 * </ol>
 *
 * <p>Own code because the one kept library, versatile, fails on numbers above 2^31, which dates in
 * versions reach. Any text has a place in the order.
 */
public final class DebianOrder implements Comparator<String> {

  @Override
  public int compare(String one, String other) {
    Evr left = Evr.of(one);
    Evr right = Evr.of(other);
    int order = left.compareUpToRelease(right, DebianOrder::compareParts);
    return order == 0 ? compareParts(left.release(), right.release()) : order;
  }

  private static int compareParts(String one, String other) {
    int i = 0;
    int j = 0;
    while (i < one.length() || j < other.length()) {
      while (isInWord(one, i) || isInWord(other, j)) {
        int order = Integer.compare(weight(one, i), weight(other, j));
        if (order != 0) {
          return order;
        }
        i++;
        j++;
      }
      int end = Evr.endOfDigits(one, i);
      int otherEnd = Evr.endOfDigits(other, j);
      int order = Evr.compareNumbers(one.substring(i, end), other.substring(j, otherEnd));
      if (order != 0) {
        return order;
      }
      i = end;
      j = otherEnd;
    }
    return 0;
  }

  private static boolean isInWord(String text, int at) {
    return at < text.length() && !Evr.isDigit(text.charAt(at));
  }

  private static int weight(String text, int at) {
    if (!isInWord(text, at)) {
      return 0;
    }
    char c = text.charAt(at);
    if (c == '~') {
      return -1;
    }
    return Evr.isLetter(c) ? c : c + 256;
  }
}
