package dev.drydock.auditor.core;

/** What the log says of an invariant. */
public enum InvariantVerdict {
  /** It was judged, and nothing speaks against it. */
  HELD,
  /** At least one fact contradicts it. */
  VIOLATED,
  /** Nothing was found, but something that would be needed is not there, or nothing was judged. */
  UNKNOWN
}
