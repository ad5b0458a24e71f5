package dev.drydock.orchestrator.core.model;

/** How a host leaves its batch. */
public enum HostEnd implements NamedConstant {
  /** On the release, healthy, and back in service. */
  UPGRADED,
  /** It was on the release already. */
  SKIPPED,
  /** Back in service as it was before. */
  REVERTED,
  /** The same, because its rollout was aborted. */
  CANCELLED,
  /** It waits again. */
  REQUEUED,
  /** It could not be returned to service: people look after it. */
  QUARANTINED
}
