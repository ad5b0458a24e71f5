package dev.drydock.auditor.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.Supplier;

/** Counts what one check finds, and keeps the first of it. For one thread. */
final class FindingCounter {
  /** Who reads more than these looks at the rows. */
  private static final int KEPT_MAX = 20;

  private final Invariant invariant;
  private final List<FindingDetail> violations = new ArrayList<>();
  private final List<FindingDetail> breaches = new ArrayList<>();
  private final SequencedSet<String> gaps = new LinkedHashSet<>();
  private boolean doubted;
  private long judged;
  private long violated;
  private long breached;

  FindingCounter(Invariant invariant) {
    this.invariant = invariant;
  }

  /**
   * What it rests on is not to be relied on: what contradicts the invariant is unknown from here
   * on, and accuses nobody.
   */
  void doubt(Collection<String> reasons) {
    reasons.forEach(this::unknown);
    doubted |= !reasons.isEmpty();
  }

  /** One more fact was judged. */
  void judged() {
    judged++;
  }

  void violated(FindingDetail findingDetail) {
    violated(() -> findingDetail);
  }

  /** The same of one that takes time to put together: it is asked for only if it is kept. */
  void violated(Supplier<FindingDetail> findingDetail) {
    if (doubted) {
      return;
    }
    violated++;
    keep(violations, findingDetail);
  }

  void breached(FindingDetail findingDetail) {
    if (doubted) {
      return;
    }
    breached++;
    keep(breaches, () -> findingDetail);
  }

  private static void keep(List<FindingDetail> kept, Supplier<FindingDetail> findingDetail) {
    if (kept.size() < KEPT_MAX) {
      kept.add(findingDetail.get());
    }
  }

  /** Something could not be judged. */
  void unknown(String why) {
    if (gaps.size() < KEPT_MAX) {
      gaps.add(why);
    }
  }

  Finding finding() {
    List<String> reasons = new ArrayList<>(gaps);
    if (judged == 0 && violated == 0 && reasons.isEmpty()) {
      reasons.add("nothing was there to be judged");
    }
    return new Finding(
        invariant,
        violated > 0
            ? InvariantVerdict.VIOLATED
            : reasons.isEmpty() ? InvariantVerdict.HELD : InvariantVerdict.UNKNOWN,
        judged,
        violated,
        violations,
        breached,
        breaches,
        reasons);
  }
}
