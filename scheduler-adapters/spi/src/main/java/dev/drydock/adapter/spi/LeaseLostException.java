package dev.drydock.adapter.spi;

/**
 * Ends a step whose claim is no longer certainly ours. Nothing is reported: the job belongs to its
 * next attempt.
 */
public final class LeaseLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LeaseLostException() {
    super("the lease of the claim has ended", null, false, false);
  }
}
