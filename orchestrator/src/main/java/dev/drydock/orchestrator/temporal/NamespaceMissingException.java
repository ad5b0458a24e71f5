package dev.drydock.orchestrator.temporal;

/**
 * Temporal answers, and does not know the namespace: nobody can say which workflows run. It was
 * deleted, or Temporal was put back to a copy from before it, or another Temporal answers.
 */
public final class NamespaceMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NamespaceMissingException(String namespace, Throwable cause) {
    super(
        "Temporal does not know the namespace "
            + namespace
            + ": no workflow is taken for lost until it is back",
        cause);
  }
}
