package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Candidates.Candidate;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Topics whose consumers do not take what there is: nothing new is granted for them. A host that is
 * drained waits for its operator, and one that is granted uses up budget, so that more of them
 * would only be down for longer. Safe for use by many threads.
 */
final class UnclaimedTopics {
  /** How long a job may wait for its first claim. A consumer looks every few seconds. */
  private static final Duration LONG = Duration.ofSeconds(60);

  /** How many jobs of a topic may do so: more than consumers do side by side. */
  private static final int MANY = 200;

  private static final String STUCK =
      """
      SELECT j.topic FROM jobs j JOIN grants g ON g.id = j.grant_id
      WHERE j.state = 'Pending' AND j.attempt = 0 AND g.state = 'granted' AND g.run = j.run
        AND NOT g.abort AND (j.not_before IS NULL OR j.not_before <= clock_timestamp())
        AND (j.step <> 'Drain' OR 'Grant' = (
              SELECT c.state FROM checks c
              WHERE c.grant_id = g.id AND c.kind = 'open'
              ORDER BY c.round DESC LIMIT 1))
        AND NOT
      """
          + RecoveryJobFilter.JOB
          + """
      GROUP BY j.topic
      HAVING count(*) > :many
        OR min(GREATEST(j.created_at, g.opened_at, j.not_before))
             < clock_timestamp() - make_interval(secs => :long)
      """;

  private final Jdbi jdbi;

  UnclaimedTopics(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Why candidates wait for consumers; those that do not are left out. */
  Map<Candidate, String> waiting(List<Candidate> candidates) {
    return candidates.isEmpty()
        ? Map.of()
        : jdbi.withHandle(
            handle -> {
              Set<String> stuck = stuck(handle);
              return stuck.isEmpty() ? Map.of() : waiting(handle, candidates, stuck);
            });
  }

  private static Set<String> stuck(Handle handle) {
    return handle
        .createQuery(STUCK)
        .bind("many", MANY)
        .bind("long", LONG.toSeconds())
        .mapTo(String.class)
        .set();
  }

  private static Map<Candidate, String> waiting(
      Handle handle, List<Candidate> candidates, Set<String> stuck) {
    Map<String, String> hosts =
        pairs(
            handle,
            """
            SELECT name, min(topic) FROM (
              SELECT name, 'scheduler/' || scheduler AS topic FROM hosts WHERE name = ANY(:keys)) h
            WHERE topic = ANY(:stuck) GROUP BY name
            """,
            candidates.stream().flatMap(one -> one.hosts().stream()).distinct().toList(),
            stuck);
    Map<String, String> rollouts =
        pairs(
            handle,
            """
            SELECT id, 'host/' || mode FROM rollouts
            WHERE id = ANY(:keys) AND 'host/' || mode = ANY(:stuck)
            """,
            candidates.stream().map(Candidate::rollout).distinct().toList(),
            stuck);
    Map<Candidate, String> waiting = new HashMap<>();
    for (Candidate candidate : candidates) {
      candidate.hosts().stream()
          .map(hosts::get)
          .filter(Objects::nonNull)
          .findFirst()
          .or(() -> Optional.ofNullable(rollouts.get(candidate.rollout())))
          .ifPresent(topic -> waiting.put(candidate, says(topic)));
    }
    return waiting;
  }

  private static Map<String, String> pairs(
      Handle handle, String sql, Collection<String> keys, Collection<String> stuck) {
    Map<String, String> pairs = new HashMap<>();
    handle
        .createQuery(sql)
        .bindArray("keys", String.class, keys)
        .bindArray("stuck", String.class, stuck)
        .map((row, _) -> Map.entry(row.getString(1), row.getString(2)))
        .forEach(pair -> pairs.put(pair.getKey(), pair.getValue()));
    return pairs;
  }

  private static String says(String topic) {
    return "consumers of %s do not claim the jobs that it has: is one running?".formatted(topic);
  }
}
