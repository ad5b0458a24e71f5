package dev.drydock.orchestrator.jobs;

import org.jdbi.v3.core.Handle;

/** What jobs on a host say of it, and what is asked of its rollout for them. */
public final class JobSpec {
  /**
   * An object of the fields that all jobs on a host have, over a row {@code h} of hosts; facts,
   * rollout and what tells the job from others are not among them.
   */
  public static final String OF_HOST =
      """
      jsonb_build_object(
        'host', h.name, 'address', h.address,
        'instances', COALESCE(
          (SELECT jsonb_agg(
                    jsonb_build_object('id', i.id, 'application', i.application, 'zone', i.zone)
                    ORDER BY i.id)
           FROM instances i WHERE i.host = h.name AND i.vanished_at IS NULL), '[]'),
        'osFamily', COALESCE(h.labels->>'os-family', 'apt'),
        'hardwareClass', COALESCE(h.hardware_class, ''),
        'createdAt', CAST(extract(epoch FROM transaction_timestamp()) * 1000 AS bigint))
      """;

  private JobSpec() {}

  /** Whether the rollout takes hosts back: it is a revert, or a retry of one. */
  public static boolean downgrades(Handle handle, String rollout) {
    return handle
        .createQuery(
            """
            WITH RECURSIVE line(origin, rollout) AS (
              SELECT origin, origin_rollout FROM rollouts WHERE id = :rollout
              UNION ALL
              SELECT e.origin, e.origin_rollout
              FROM line JOIN rollouts e ON e.id = line.rollout WHERE line.origin = 'Retry')
            SELECT EXISTS (SELECT FROM line WHERE origin = 'Revert')
            """)
        .bind("rollout", rollout)
        .mapTo(Boolean.class)
        .one();
  }
}
