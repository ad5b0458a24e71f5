package dev.drydock.auditor.core;

/** A rule about how much of an application may be down, as the policy format has it. */
public sealed interface BudgetRule {

  /** At most so many of the desired instances are not up. */
  record MaxUnavailable(Share most) implements BudgetRule {}

  /** So many instances stay up. */
  record MinAvailable(int least) implements BudgetRule {}

  /** So much capacity stays up: of all that is allocated where it is a share, rounded up. */
  record MinCapacity(Share least) implements BudgetRule {}

  /** Something is down in at most so many fault zones. */
  record MaxZones(int most) implements BudgetRule {}

  /** The same for the values of a label of hosts. */
  record MaxDomains(String label, int most) implements BudgetRule {}

  /**
   * A number, or so many percent of something.
   *
   * @param percent whether {@code number} is one of percent
   */
  record Share(int number, boolean percent) {
    /** Rounded down. */
    long of(long all) {
      return percent ? all * number / 100 : number;
    }

    @Override
    public String toString() {
      return number + (percent ? "%" : "");
    }
  }
}
