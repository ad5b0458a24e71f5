package dev.drydock.auditor.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One audit of one rollout: is shown its logs page by page, and says at the end what they say of
 * each invariant. For one thread.
 */
public final class Audit {
  private final List<Check> checks;

  /**
   * @param passingMax how long a request for hosts may be passed by later ones, in all
   */
  public Audit(Rollout rollout, Duration passingMax) {
    checks =
        List.of(
            new OneActivity(rollout),
            new Fifo(rollout, passingMax),
            new AllOrNone(rollout),
            new Order(rollout),
            new Once(rollout),
            new NothingLost(rollout),
            new WayOut(rollout));
  }

  public void look(Page page) {
    checks.forEach(check -> check.look(page));
  }

  /** In the order of the invariants. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    checks.forEach(check -> findings.add(check.finding()));
    findings.sort(java.util.Comparator.comparing(Finding::invariant));
    return List.copyOf(findings);
  }
}
