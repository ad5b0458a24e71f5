package dev.drydock.orchestrator.core.model;

/** What becomes of the hosts of a batch that goes back. */
public enum RollbackTarget implements NamedConstant {
  /** They wait again, with the age of their first turn. */
  REQUEUED,
  /** They end as they were before. */
  REVERTED,
  /** The same, because their rollout was aborted. */
  CANCELLED;

  /** How the hosts end. */
  public HostEnd end() {
    return switch (this) {
      case REQUEUED -> HostEnd.REQUEUED;
      case REVERTED -> HostEnd.REVERTED;
      case CANCELLED -> HostEnd.CANCELLED;
    };
  }
}
