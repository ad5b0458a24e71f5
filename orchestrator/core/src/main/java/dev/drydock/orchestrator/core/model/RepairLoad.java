package dev.drydock.orchestrator.core.model;

/**
 * Remediations elsewhere that matter to a host.
 *
 * @param acting on how many hosts of the fleet something is done right now to repair them
 * @param inVain on how many hosts of its kind in its rollout nothing helped, including those that
 *     went back to the release before
 * @param helped how many hosts of its kind were helped
 * @param recently whether the host itself was helped in another batch, less than a cool-down ago
 */
public record RepairLoad(int acting, int inVain, int helped, boolean recently) {
  /** Nothing goes on elsewhere. */
  public static final RepairLoad NONE = new RepairLoad(0, 0, 0, false);

  /** The same with more hosts on which something is done. */
  public RepairLoad plusActing(int more) {
    return new RepairLoad(acting + more, inVain, helped, recently);
  }
}
