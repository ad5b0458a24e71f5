package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The rollout that is audited, and what is missing of its logs as a whole.
 *
 * @param ended whether no host of it is to be worked on any more
 * @param submitted the hosts that were submitted, by the event of that; empty when it is not kept
 * @param eventGaps why events of it may be missing; empty when none are
 * @param lockGaps why the lock history may be incomplete since the rollout was created
 * @param timeGaps why times of its logs may not follow each other as what they tell of did
 * @param created the event of its creation; empty when it is not kept
 * @param readAt when the logs were read, by the clock of the database
 */
public record AuditedRollout(
    String id,
    Instant createdAt,
    boolean ended,
    Optional<Set<String>> submitted,
    List<String> eventGaps,
    List<String> lockGaps,
    List<String> timeGaps,
    OptionalLong created,
    Instant readAt) {
  public AuditedRollout {
    submitted = submitted.map(Set::copyOf);
    eventGaps = List.copyOf(eventGaps);
    lockGaps = List.copyOf(lockGaps);
    timeGaps = List.copyOf(timeGaps);
  }

  /** One whose times are as they should be. */
  public AuditedRollout(
      String id,
      Instant createdAt,
      boolean ended,
      Optional<Set<String>> submitted,
      List<String> eventGaps,
      List<String> lockGaps,
      Instant readAt) {
    this(
        id,
        createdAt,
        ended,
        submitted,
        eventGaps,
        lockGaps,
        List.of(),
        OptionalLong.empty(),
        readAt);
  }

  /** Whether what the entry tells of happened since it was created. */
  boolean since(LockEntry entry) {
    return created.isPresent() && entry.lastEvent().isPresent()
        ? entry.lastEvent().getAsLong() >= created.getAsLong()
        : !entry.at().isBefore(createdAt);
  }

  /** Its name in exhibits. */
  String object() {
    return "rollout/" + id;
  }
}
