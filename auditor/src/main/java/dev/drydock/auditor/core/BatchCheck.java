package dev.drydock.auditor.core;

/**
 * A row of {@code checks}.
 *
 * @param kind confirm or open
 * @param state requested, Grant or Wait
 * @param decided the last event when it was decided; 0 when that is not kept
 */
public record BatchCheck(String grant, String kind, int round, String state, long decided) {

  /** Whether it let the batch begin its first undeploy. */
  boolean opened() {
    return kind.equals("open") && state.equals("Grant");
  }
}
