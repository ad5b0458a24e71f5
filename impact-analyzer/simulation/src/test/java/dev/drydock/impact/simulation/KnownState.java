package dev.drydock.impact.simulation;

import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that was knowable when somebody decided.
 *
 * @param wanted tickets of batches that could start
 * @param heard what controllers said, by topic
 * @param samples what monitoring said last, by query
 * @param past what was taken down, by instance
 */
record KnownState(
    Instant at,
    Map<String, Report> newest,
    LockTable table,
    Set<String> wanted,
    Map<String, ControllerAnswers> heard,
    Map<String, Sample> samples,
    Map<String, OwnHistory.Past> past) {

  /**
   * What monitoring said.
   *
   * @param at when it was asked
   * @param said whether it could be understood
   * @param trueSince unless it was false
   */
  record Sample(Instant at, boolean said, Optional<Instant> trueSince) {}
}
