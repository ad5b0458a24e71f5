package dev.drydock.impact.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * How long work on hosts took so far, from their grant to their end: what a plan reckons with. Of
 * hosts with the same applications and to the same release, else to any, else of all hosts the
 * median counts, where there are enough of them.
 */
final class LearnedDurations {
  /** Fewer tell nothing of the others. */
  static final int HOSTS_MIN = 3;

  /**
   * The newest rollouts, and of each the hosts that ended last: the past is not like the future.
   */
  private static final int ROLLOUTS_MAX = 30;

  private static final int HOSTS_MAX = 300;

  /** Who took how long. */
  private record Took(Set<String> applications, String release, Duration time) {}

  /**
   * What is reckoned with, and why in words.
   *
   * @param says such as "4m10s, the median of 12 hosts with web to release 2"
   */
  record Learned(Duration time, String says) {}

  private final String release;
  private final Duration otherwise;
  private final Map<Set<String>, List<Duration>> toRelease = new HashMap<>();
  private final Map<Set<String>, List<Duration>> alike = new HashMap<>();
  private final List<Duration> all = new ArrayList<>();

  private LearnedDurations(List<Took> seen, String release, Duration otherwise) {
    this.release = release;
    this.otherwise = otherwise;
    for (Took took : seen) {
      if (took.release().equals(release)) {
        toRelease.computeIfAbsent(took.applications(), _ -> new ArrayList<>()).add(took.time());
      }
      alike.computeIfAbsent(took.applications(), _ -> new ArrayList<>()).add(took.time());
      all.add(took.time());
    }
  }

  /**
   * As of now.
   *
   * @param otherwise where no host has been upgraded so far
   */
  static LearnedDurations read(Handle handle, String release, Duration otherwise) {
    List<Took> seen =
        handle
            .createQuery(
                """
                SELECT u.applications, r.release, extract(epoch FROM u.ended_at - u.started_at) AS took
                FROM (SELECT id, release FROM rollouts ORDER BY number DESC LIMIT :rollouts) r
                CROSS JOIN LATERAL (
                  SELECT applications, started_at, ended_at FROM host_upgrades
                  WHERE rollout = r.id AND state = 'Upgraded' AND started_at < ended_at
                  ORDER BY ended_at DESC LIMIT :hosts) u
                """)
            .bind("rollouts", ROLLOUTS_MAX)
            .bind("hosts", HOSTS_MAX)
            .map(
                (row, _) ->
                    new Took(
                        Set.of((String[]) row.getArray("applications").getArray()),
                        row.getString("release"),
                        Duration.ofMillis(Math.max(1, (long) (row.getDouble("took") * 1000)))))
            .list();
    return new LearnedDurations(seen, release, otherwise);
  }

  /** For a host with these applications. */
  Learned of(Set<String> applications) {
    String with =
        applications.isEmpty()
            ? " without applications"
            : " with " + String.join(", ", new TreeSet<>(applications));
    return median(toRelease.get(applications), with + " to release " + release)
        .or(() -> median(alike.get(applications), with))
        .or(() -> median(all, " of any kind"))
        .orElseGet(
            () ->
                new Learned(
                    otherwise, words(otherwise) + ", assumed: too few hosts were upgraded so far"));
  }

  private static Optional<Learned> median(@Nullable List<Duration> times, String whose) {
    if (times == null || times.size() < HOSTS_MIN) {
      return Optional.empty();
    }
    Duration median = times.stream().sorted().toList().get(times.size() / 2);
    return Optional.of(
        new Learned(
            median, "%s, the median of %d hosts%s".formatted(words(median), times.size(), whose)));
  }

  private static String words(Duration time) {
    Duration whole = Duration.ofSeconds(Math.max(1, time.toSeconds()));
    return whole.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
