package dev.drydock.impact.core;

import java.util.Optional;

/**
 * One rule of a policy, applied to one application. All rules of all policies concerned apply: a
 * request is granted only if none objects.
 *
 * <p>Properties of every rule: it is pure; it never allows on a missing fact, but says which is
 * missing; more locks never make it allow what it did not allow before. Its {@link Object#toString}
 * is how the team wrote it.
 */
public interface Rule {

  /** What it says of the request now. Asked for every request, allowed or not: it is evidence. */
  RuleResult judge(ApplicationState state);

  /**
   * Why it could never allow the request, whatever comes up, ends or passes; empty when waiting may
   * help. Asked when {@link #judge} does not allow, and of each host when a rollout is submitted:
   * may look at what is allocated, never at what is up.
   */
  Optional<String> never(ApplicationState state);

  /**
   * How long what it holds usually waits: of several that hold a request, the one that lasts
   * longest is the one to tell first. Budgets come and go by the minute, windows by the day.
   */
  default Lasts lasts() {
    return Lasts.MINUTES;
  }

  /** How long a rule usually holds; the last is the longest. */
  enum Lasts {
    MINUTES,
    HOURS,
    UNTIL_OTHERS_ACT,
    DAYS,
    UNTIL_PEOPLE_ACT
  }

  /** The facts it needs beyond hosts, instances and locks; they are read only for who asks. */
  default RuleInputs facts() {
    return RuleInputs.NONE;
  }
}
