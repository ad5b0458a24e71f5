package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.jobs.DrainTimeouts;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * How long the Drains of a batch may take from their publication, by the policies of what runs on
 * each host. To be asked outside of transactions: policies are read over a connection of their own.
 */
final class DrainDeadlines {
  /** For waiting for a consumer and for a new check, and for an attempt that fell silent. */
  private static final Duration RESERVE = Duration.ofMinutes(5);

  /** Of the time that is left, an adapter keeps a tenth for putting things back. */
  private static final int SHARE_DRAINING = 9;

  private final Jdbi jdbi;
  private final DrainTimeouts policies;

  DrainDeadlines(Jdbi jdbi, DrainTimeouts policies) {
    this.jdbi = jdbi;
    this.policies = policies;
  }

  /** By host of the grant. */
  Map<String, Duration> of(String grant) {
    return jdbi
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT u.host, array_remove(array_agg(i.application), NULL) AS applications
                        FROM host_upgrades u
                        LEFT JOIN instances i ON i.host = u.host AND i.vanished_at IS NULL
                        WHERE u.grant_id = :grant GROUP BY u.host
                        """)
                    .bind("grant", grant)
                    .map(
                        (row, context) ->
                            Map.entry(
                                row.getString("host"),
                                Set.copyOf(
                                    Arrays.asList(
                                        (String[]) row.getArray("applications").getArray()))))
                    .list())
        .stream()
        .collect(
            Collectors.toMap(Map.Entry::getKey, host -> deadline(policies.of(host.getValue()))));
  }

  static Duration deadline(Duration timeout) {
    return timeout.plus(timeout.dividedBy(SHARE_DRAINING)).plus(RESERVE);
  }
}
