package dev.drydock.orchestrator;

import dev.drydock.orchestrator.store.OrphanRows.Course;
import java.util.Optional;

/**
 * What is wrong between a batch hold and its grant, decided from both. Pure.
 *
 * <p>Property: a host whose state nobody knows is left to people; a hold ends only where rows say
 * that its batch has ended.
 */
enum OrphanDecision {
  /** Nothing, or nothing yet: somebody else is about to see to it. */
  NONE,
  /** No row tells what was done under the hold. */
  QUARANTINE,
  /** Its batch ended, and so did its hold, but it is there again. */
  END;

  static OrphanDecision of(Optional<Course> grant) {
    if (grant.isEmpty()) {
      return QUARANTINE;
    }
    return switch (grant.get().state()) {
      case "void" -> QUARANTINE;
      case "ended" -> grant.get().holdEnded() ? END : NONE;
      default -> NONE;
    };
  }
}
