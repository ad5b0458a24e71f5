package dev.drydock.lock.core;

/**
 * The server's sequence of marks (protocol P6): whoever fetches a mark and then begins to read,
 * observed later than every effect that ended before the mark was fetched.
 */
@FunctionalInterface
public interface MarkSequence {

  /** A mark higher than all fetched before. */
  long next();
}
