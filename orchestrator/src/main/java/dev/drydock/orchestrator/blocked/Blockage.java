package dev.drydock.orchestrator.blocked;

import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A batch of which hosts failed, as its row says.
 *
 * @param jobs those that ended badly
 * @param reasons why, by host
 * @param goesBack whether it was on its way back
 */
public record Blockage(
    String id,
    String grant,
    List<String> jobs,
    Map<String, String> reasons,
    boolean goesBack,
    Optional<Decided> decided) {

  public Blockage {
    jobs = List.copyOf(jobs);
    reasons = Map.copyOf(reasons);
  }

  /** What becomes of it. */
  public enum Decision {
    /** What failed is tried once more. */
    RETRY("Retry"),
    /** Its hosts are kept aside, the others go on. */
    GO_ON("GoOn"),
    /** All go back. */
    ABORT("Abort");

    private final String word;

    Decision(String word) {
      this.word = word;
    }

    /** As people and rows spell it. */
    public String word() {
      return word;
    }

    /** The constant of a word. */
    public static Decision of(String word) {
      return Arrays.stream(values()).filter(one -> one.word.equals(word)).findFirst().orElseThrow();
    }
  }

  /** Once it is decided. */
  public record Decided(Decision decision, String by, String reason) {

    /** As people read it. */
    public String says() {
      return decision.word() + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
  }

  /** The hosts that failed, by name. */
  public List<String> hosts() {
    return reasons.keySet().stream().sorted().toList();
  }

  /** Why, in one sentence. */
  public String says() {
    return says(reasons);
  }

  static String says(Map<String, String> reasons) {
    int more = reasons.size() - 1;
    return new TreeMap<>(reasons).firstEntry().getValue()
        + (more == 0
            ? ""
            : more == 1 ? "; and 1 other host" : "; and %d other hosts".formatted(more));
  }

  static Blockage of(ResultSet row) throws SQLException {
    Map<String, String> reasons = new TreeMap<>();
    Json.readTree(row.getString("reasons"))
        .forEach((host, reason) -> reasons.put(host, String.valueOf(reason)));
    String decision = row.getString("decision");
    return new Blockage(
        row.getString("id"),
        row.getString("grant_id"),
        List.of((String[]) row.getArray("jobs").getArray()),
        reasons,
        row.getBoolean("goes_back"),
        decision == null
            ? Optional.empty()
            : Optional.of(
                new Decided(
                    Decision.of(decision),
                    row.getString("decided_by"),
                    row.getString("decided_reason"))));
  }
}
