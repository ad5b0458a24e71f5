package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutOriginKind;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.intake.Submission;
import dev.drydock.orchestrator.intake.Submission.Origin;
import dev.drydock.orchestrator.intake.Submission.Terms;
import dev.drydock.orchestrator.store.ReasonParts;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * Another rollout for hosts of an earlier one: those that failed once more, or those that were
 * upgraded back. It is a rollout like any other, checked and granted like one; what the earlier one
 * says of its hosts stays. Safe for use by many threads.
 */
public final class FollowUps {
  private final Jdbi jdbi;
  private final RolloutIntake intake;

  public FollowUps(Jdbi jdbi, RolloutIntake intake) {
    this.jdbi = jdbi;
    this.intake = intake;
  }

  /** What the requester says of the new rollout. */
  public record Wish(String reason, Optional<String> requestId) {}

  /**
   * The hosts that ended Reverted, Quarantined or Cancelled, once more. A quarantined one waits
   * until its quarantine is lifted.
   *
   * @return the id of the new rollout, or of the one the same request made before
   * @throws ApiException 404; 409 if no host failed; 422 as for any submission
   */
  public String retry(Principal by, String rollout, Wish wish) {
    Earlier earlier = earlier(rollout);
    List<String> hosts = hosts(rollout, Set.of("Reverted", "Quarantined", "Cancelled"));
    if (hosts.isEmpty()) {
      throw ApiException.conflict(
          "NOTHING_TO_RETRY", "no host of rollout " + rollout + " failed; nothing was started.");
    }
    return submit(by, earlier, earlier.release(), hosts, RolloutOriginKind.Retry, wish);
  }

  /**
   * The hosts that ended Upgraded, back to what they had before.
   *
   * @param release where hosts go of which that is not known; when given, hosts that had another
   *     one stay
   * @return as {@link #retry}
   * @throws ApiException 404; 409 if hosts may still begin, if some are in progress, if none was
   *     upgraded or if it is not one release they go back to; 422 as for any submission
   */
  public String revert(Principal by, String rollout, Optional<String> release, Wish wish) {
    Earlier earlier = earlier(rollout);
    if (earlier.state() == RolloutState.Running || earlier.state() == RolloutState.Scheduled) {
      throw ApiException.conflict(
          "ROLLOUT_STATE",
          "rollout %s is %s: hosts would go forth and back; pause or abort it first."
              .formatted(rollout, earlier.state()));
    }
    // Asked before what was upgraded: a host that ends between the two is among these.
    List<String> inProgress = inProgress(rollout);
    if (!inProgress.isEmpty()) {
      throw ApiException.conflict(
          "HOSTS_IN_PROGRESS",
          "hosts of rollout %s are in progress (%d): %s; they may yet be upgraded and would be left so; nothing was started. Revert it once they have ended."
              .formatted(rollout, inProgress.size(), ReasonParts.names(inProgress)));
    }
    List<Before> upgraded = upgraded(rollout);
    String back = release.orElseGet(() -> common(rollout, upgraded));
    List<String> hosts =
        upgraded.stream()
            .filter(host -> host.release().orElse(back).equals(back))
            .map(Before::host)
            .toList();
    if (hosts.isEmpty()) {
      throw ApiException.conflict(
          "NOTHING_TO_REVERT",
          "no host of rollout "
              + rollout
              + " was upgraded from release "
              + back
              + "; nothing was started.");
    }
    return submit(by, earlier, back, hosts, RolloutOriginKind.Revert, wish);
  }

  private String submit(
      Principal by,
      Earlier earlier,
      String release,
      List<String> hosts,
      RolloutOriginKind kind,
      Wish wish) {
    Terms terms =
        new Terms(
            Optional.empty(), earlier.changeTicket(), Optional.of(new Origin(kind, earlier.id())));
    return intake.submit(
        by,
        new Submission(
            release,
            earlier.mode(),
            hosts,
            "",
            wish.reason(),
            wish.requestId(),
            earlier.priority(),
            Optional.empty(),
            terms));
  }

  /**
   * A host and the release it had before. One that was thought to be on the release already and had
   * to be upgraded came from who knows where.
   */
  private record Before(String host, Optional<String> release) {}

  private static String common(String rollout, List<Before> upgraded) {
    Set<String> releases =
        upgraded.stream()
            .map(host -> host.release().orElse("unknown"))
            .collect(Collectors.toCollection(TreeSet::new));
    if (upgraded.isEmpty()) {
      throw ApiException.conflict(
          "NOTHING_TO_REVERT",
          "no host of rollout " + rollout + " was upgraded; nothing was started.");
    }
    if (releases.size() > 1 || releases.contains("unknown")) {
      throw ApiException.conflict(
          "RELEASE_NEEDED",
          "the hosts of rollout %s came from %s; say which release the revert goes back to."
              .formatted(rollout, releases));
    }
    return releases.iterator().next();
  }

  private record Earlier(
      String id,
      String release,
      String mode,
      String priority,
      RolloutState state,
      String changeTicket) {}

  private Earlier earlier(String rollout) {
    return Sql.find(
            jdbi,
            Earlier.class,
            """
            SELECT id, release, mode, priority, state, change_ticket
            FROM rollouts WHERE id = :id
            """,
            Map.of("id", rollout))
        .orElseThrow(
            () -> ApiException.notFound("UNKNOWN_ROLLOUT", "there is no rollout " + rollout));
  }

  private List<String> hosts(String rollout, Set<String> states) {
    return Sql.texts(
        jdbi,
        """
        SELECT host FROM host_upgrades
        WHERE rollout = :rollout AND state = ANY(:states) ORDER BY position
        """,
        Map.of("rollout", rollout, "states", states));
  }

  /** Those of batches that were only proposed included: an abort or a pause does not end them. */
  private List<String> inProgress(String rollout) {
    return Sql.texts(
        jdbi,
        """
        SELECT host FROM host_upgrades
        WHERE rollout = :rollout AND state IN ('Pending', 'InProgress')
          AND grant_id IS NOT NULL
        ORDER BY position
        """,
        Map.of("rollout", rollout));
  }

  private List<Before> upgraded(String rollout) {
    return Sql.list(
        jdbi,
        Before.class,
        """
        SELECT u.host, NULLIF(u.release_before, r.release) AS release
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
        WHERE u.rollout = :rollout AND u.state = 'Upgraded' ORDER BY u.position
        """,
        Map.of("rollout", rollout));
  }
}
