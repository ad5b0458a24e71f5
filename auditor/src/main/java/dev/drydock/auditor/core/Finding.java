package dev.drydock.auditor.core;

import java.util.List;

/**
 * What the log says of one invariant over one rollout.
 *
 * @param judged how many facts were judged; with none the verdict is never {@link
 *     InvariantVerdict#HELD}
 * @param violated how many of them contradict it
 * @param violations the first of these
 * @param breached how often it came to be broken later by what nobody could know
 * @param breaches the first of these, each with its cause
 * @param gaps why something could not be judged; the first of these reasons
 */
public record Finding(
    Invariant invariant,
    InvariantVerdict verdict,
    long judged,
    long violated,
    List<FindingDetail> violations,
    long breached,
    List<FindingDetail> breaches,
    List<String> gaps) {
  public Finding {
    violations = List.copyOf(violations);
    breaches = List.copyOf(breaches);
    gaps = List.copyOf(gaps);
  }
}
