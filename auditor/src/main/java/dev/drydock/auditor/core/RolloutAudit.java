package dev.drydock.auditor.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One audit of one rollout: is shown its logs page by page, and says at the end what they say of
 * each invariant. For one thread.
 */
public final class RolloutAudit {
  private final List<InvariantCheck> checks;
  private final BudgetCheck budgetCheck;
  private final Runnable goingOn;

  /**
   * @param passingMax how long a request for hosts may be passed by later ones, in all
   * @param staleness what was told within this time before a decision need not have been known to
   *     it
   * @param goingOn is run again and again meanwhile, and ends the audit by what it throws
   */
  public RolloutAudit(
      AuditedRollout auditedRollout, Duration passingMax, Duration staleness, Runnable goingOn) {
    this.goingOn = goingOn;
    budgetCheck = new BudgetCheck(auditedRollout, staleness, goingOn);
    checks =
        List.of(
            new SingleActivityCheck(auditedRollout),
            new FifoCheck(auditedRollout, passingMax, staleness),
            new AllOrNoneCheck(auditedRollout),
            new StepOrderCheck(auditedRollout),
            new ExactlyOnceCheck(auditedRollout),
            new NothingLostCheck(auditedRollout),
            new UndoCheck(auditedRollout));
  }

  public void look(LogPage logPage) {
    goingOn.run();
    checks.forEach(check -> check.look(logPage));
  }

  /** Is to be shown each application that runs on hosts of the rollout. */
  public void look(ApplicationLog log) {
    budgetCheck.look(log);
  }

  /** In the order of the invariants. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(List.of(budgetCheck.finding()));
    checks.forEach(check -> findings.add(check.finding()));
    findings.sort(Comparator.comparing(Finding::invariant));
    return List.copyOf(findings);
  }
}
