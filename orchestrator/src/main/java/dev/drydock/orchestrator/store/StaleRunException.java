package dev.drydock.orchestrator.store;

/**
 * A run of a batch acted after a later run took over, or after the grant ended: it has nothing to
 * say any more.
 */
public final class StaleRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StaleRunException(String message) {
    super(message, null, false, false);
  }
}
