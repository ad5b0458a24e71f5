package dev.drydock.orchestrator.core.model;

/** How a host leaves its batch. */
public enum HostEnd {
  /** On the release, healthy, and back in service. */
  UPGRADED("Upgraded"),
  /** It was on the release already. */
  SKIPPED("Skipped"),
  /** Back in service as it was before. */
  REVERTED("Reverted"),
  /** The same, because its rollout was aborted. */
  CANCELLED("Cancelled"),
  /** It waits again. */
  HELD("Held"),
  /** It could not be returned to service: people look after it. */
  QUARANTINED("Quarantined");

  private final String word;

  HostEnd(String word) {
    this.word = word;
  }

  /** As rows and events spell it. */
  public String word() {
    return word;
  }
}
