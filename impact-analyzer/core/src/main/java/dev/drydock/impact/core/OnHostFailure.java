package dev.drydock.impact.core;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;

/** What a batch of several hosts does when one of them fails. From the least careful on. */
public enum OnHostFailure {
  /** The host is kept aside, the others go on. */
  GO_ON("GoOn"),
  /** All go back, as long as there is a way back; after that as {@link #GO_ON}. */
  ABORT("Abort"),
  /** All wait where they are until people say what is done. */
  ASK("Ask");

  private final String word;

  OnHostFailure(String word) {
    this.word = word;
  }

  /** As people and rows spell it. */
  public String word() {
    return word;
  }

  /** The constant of a word. */
  public static OnHostFailure of(String word) {
    return Arrays.stream(values()).filter(one -> one.word.equals(word)).findFirst().orElseThrow();
  }

  /** What holds where several teams have a say; of nobody, all go back. */
  public static OnHostFailure strictest(Collection<OnHostFailure> wanted) {
    return wanted.stream().max(Comparator.naturalOrder()).orElse(ABORT);
  }
}
