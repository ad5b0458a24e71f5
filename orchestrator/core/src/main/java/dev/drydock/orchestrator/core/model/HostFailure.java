package dev.drydock.orchestrator.core.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Hosts of a batch that failed, and what becomes of that. Policies decide it at once, or people do.
 *
 * @param step what the hosts were at, as people read it
 * @param jobs those that ended badly
 * @param reasons why, by host
 * @param goingBack whether the batch was on its way back
 * @param decided empty while people are asked
 */
public record HostFailure(
    int number,
    String step,
    List<String> jobs,
    Map<String, String> reasons,
    boolean goingBack,
    Optional<Decided> decided) {
  /** Who decided what policies say. */
  public static final String BY_POLICY = "policy";

  public HostFailure {
    jobs = List.copyOf(jobs);
    reasons = Map.copyOf(reasons);
  }

  /** What becomes of it. */
  public enum Decision implements Word {
    /** What failed is tried once more. */
    RETRY,
    /** Its hosts are kept aside, the others go on. */
    GO_ON,
    /** All go back. */
    ABORT
  }

  /** Once it is decided. */
  public record Decided(Decision decision, String by, String reason) {

    /** As people read it. */
    public String says() {
      return decision.word() + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
  }

  /** Its id under a grant. */
  public String id(String grant) {
    return grant + "." + number;
  }

  /** Why, in one sentence. */
  public String says() {
    return says(reasons);
  }

  /** Why these hosts failed, in one sentence. */
  public static String says(Map<String, String> reasons) {
    int more = reasons.size() - 1;
    return new TreeMap<>(reasons).firstEntry().getValue()
        + switch (more) {
          case 0 -> "";
          case 1 -> "; and 1 other host";
          default -> "; and %d other hosts".formatted(more);
        };
  }
}
