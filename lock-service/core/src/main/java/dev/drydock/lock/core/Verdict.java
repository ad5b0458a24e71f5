package dev.drydock.lock.core;

import java.util.List;

/**
 * The answer to a request for hosts, with the numbers it rests on.
 *
 * @param reason one sentence for people; names the binding rule or the blocker
 * @param findings every rule looked at, also those that allowed it: the evidence stored with a
 *     grant
 */
public record Verdict(Decision decision, String reason, List<Finding> findings) {

  /** What to do with the request. */
  public enum Decision {
    GRANT,
    /** Not now; may be possible later. */
    HOLD,
    /** Never, as things are configured. */
    REFUSE
  }

  /**
   * One rule applied to one application.
   *
   * @param desired instances that should exist
   * @param up instances up before this request (protocol P6)
   * @param taken instances of the application this request takes down, counted among {@code up}
   * @param required instances that must stay up
   */
  public record Finding(
      String application,
      String rule,
      int desired,
      int up,
      int taken,
      int required,
      boolean allows,
      String detail) {}

  public Verdict {
    findings = List.copyOf(findings);
  }

  public boolean granted() {
    return decision == Decision.GRANT;
  }

  /** Whether all that was looked at is down already, so that the request takes nothing more. */
  public boolean takesNothing() {
    return !findings.isEmpty() && findings.stream().allMatch(finding -> finding.taken() == 0);
  }
}
