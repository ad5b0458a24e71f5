package dev.drydock.auditor.core;

/**
 * Judges one invariant over one rollout, page by page, so that no rollout is too large. For one
 * thread; a new one for each audit.
 */
interface InvariantCheck {
  /** Judges what is of this page. */
  void look(LogPage logPage);

  /** What was found in all pages so far. */
  Finding finding();
}
