package dev.drydock.lock.core;

import java.util.Comparator;

/**
 * How long something has waited, as etcd counts: the lower, the earlier.
 *
 * @param revision the etcd revision at which it was accepted
 * @param index place among what was accepted in the same transaction
 */
public record Seniority(long revision, int index) implements Comparable<Seniority> {
  /** After everything accepted so far. */
  public static final Seniority NEWCOMER = new Seniority(Long.MAX_VALUE, 0);

  private static final Comparator<Seniority> ORDER =
      Comparator.comparingLong(Seniority::revision).thenComparingInt(Seniority::index);

  @Override
  public int compareTo(Seniority other) {
    return ORDER.compare(this, other);
  }
}
