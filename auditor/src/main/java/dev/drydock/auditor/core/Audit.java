package dev.drydock.auditor.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One audit of one rollout: is shown its logs page by page, and says at the end what they say of
 * each invariant. For one thread.
 */
public final class Audit {
  private final List<Check> checks;
  private final Budget budget;
  private final Runnable goingOn;

  /**
   * @param passingMax how long a request for hosts may be passed by later ones, in all
   * @param staleness what was told within this time before a decision need not have been known to
   *     it
   * @param goingOn is run again and again meanwhile, and ends the audit by what it throws
   */
  public Audit(Rollout rollout, Duration passingMax, Duration staleness, Runnable goingOn) {
    this.goingOn = goingOn;
    budget = new Budget(rollout, staleness, goingOn);
    checks =
        List.of(
            new OneActivity(rollout),
            new Fifo(rollout, passingMax, staleness),
            new AllOrNone(rollout),
            new Order(rollout),
            new Once(rollout),
            new NothingLost(rollout),
            new WayOut(rollout));
  }

  public void look(Page page) {
    goingOn.run();
    checks.forEach(check -> check.look(page));
  }

  /** Is to be shown each application that runs on hosts of the rollout. */
  public void look(ApplicationLog log) {
    budget.look(log);
  }

  /** In the order of the invariants. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(List.of(budget.finding()));
    checks.forEach(check -> findings.add(check.finding()));
    findings.sort(Comparator.comparing(Finding::invariant));
    return List.copyOf(findings);
  }
}
