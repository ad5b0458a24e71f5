package dev.drydock.orchestrator.store;

/** Why a host or a batch came to its end by people's will, as everybody reads it. Pure. */
public final class Reasons {
  private Reasons() {}

  /**
   * Such as {@code aborted by sre: wrong release}; without the colon if nobody said why.
   *
   * @param deed what was done, as a participle
   */
  public static String by(String deed, String who, String why) {
    return deed + " by " + who + (why.isEmpty() ? "" : ": " + why);
  }
}
