package dev.drydock.orchestrator.store;

import java.util.List;

/** Parts of reasons, as everybody reads them. Pure. */
public final class ReasonParts {
  private static final int NAMED_MAX = 5;

  private ReasonParts() {}

  /**
   * Such as {@code aborted by sre: wrong release}; without the colon if nobody said why.
   *
   * @param deed what was done, as a participle
   */
  public static String by(String deed, String who, String why) {
    return deed + " by " + who + (why.isEmpty() ? "" : ": " + why);
  }

  /** The first of them, such as {@code h1, h2, h3, h4, h5 and 7 more}. */
  public static String names(List<String> all) {
    String first = String.join(", ", all.subList(0, Math.min(NAMED_MAX, all.size())));
    int more = all.size() - NAMED_MAX;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
