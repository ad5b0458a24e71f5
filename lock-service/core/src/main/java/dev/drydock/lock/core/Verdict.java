package dev.drydock.lock.core;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The answer to a request for hosts, with the numbers it rests on.
 *
 * @param reason one sentence for people; names the binding rule or the blocker
 * @param findings every rule looked at, also those that allowed it: the evidence stored with a
 *     grant
 * @param until when a grant ends to be one by itself, if it does
 * @param awaited whether a Wait rests on nothing but answers that are asked for and about to come
 */
public record Verdict(
    Decision decision,
    String reason,
    List<Finding> findings,
    Optional<Instant> until,
    boolean awaited) {

  /** Between the reasons of one sentence, that which binds first. */
  public static final String ALSO = "; also ";

  /** What to do with the request. */
  public enum Decision {
    GRANT,
    /** Not now; may be possible later. */
    WAIT,
    /** Never, as things are configured. */
    REFUSE;

    /** As rows, events and metrics have it. */
    public String word() {
      return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }
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

  /** One that stands until something changes. */
  public Verdict(Decision decision, String reason, List<Finding> findings) {
    this(decision, reason, findings, Optional.empty(), false);
  }

  /** The same for so long. */
  public Verdict until(Optional<Instant> end) {
    return new Verdict(decision, reason, findings, end, awaited);
  }

  /** The same until answers have come. */
  public Verdict awaiting() {
    return new Verdict(decision, reason, findings, until, true);
  }

  public boolean granted() {
    return decision == Decision.GRANT;
  }

  /** Whether all that was looked at is down already, so that the request takes nothing more. */
  public boolean takesNothing() {
    return !findings.isEmpty() && findings.stream().allMatch(finding -> finding.taken() == 0);
  }
}
