package dev.drydock.lock.core;

import java.util.Comparator;

/**
 * How long something has waited, as etcd counts: the lower, the earlier.
 *
 * @param revision the etcd revision at which it was accepted
 * @param index place among what was accepted in the same transaction
 */
public record Seniority(long revision, int index) implements Comparable<Seniority> {
  private static final Comparator<Seniority> ORDER =
      Comparator.comparingLong(Seniority::revision).thenComparingInt(Seniority::index);

  @Override
  public int compareTo(Seniority other) {
    return ORDER.compare(this, other);
  }
}
