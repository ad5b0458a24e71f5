package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A row of {@code grants}.
 *
 * @param state proposed, granted, ended or void
 * @param epoch it is worked in: that of its grant, or a later one once a store was restored
 * @param revision of etcd at which its hosts were locked; 0 while that is not known
 * @param blind whether rows do not tell all that was done to its hosts before: a store was
 *     restored, or it brings back what an earlier batch left
 * @param undo what it goes back to, once it goes back
 */
public record LoggedGrant(
    String id,
    List<String> hosts,
    String state,
    long epoch,
    long revision,
    boolean blind,
    Optional<String> undo,
    Instant createdAt,
    Optional<Instant> endedAt,
    Optional<Instant> holdEndedAt) {
  public LoggedGrant {
    hosts = List.copyOf(hosts);
  }

  /** Its name in exhibits. */
  String object() {
    return "grant/" + id;
  }

  /** Whether its hosts were locked, now or earlier. */
  boolean committed() {
    return state.equals("granted") || state.equals("ended");
  }
}
