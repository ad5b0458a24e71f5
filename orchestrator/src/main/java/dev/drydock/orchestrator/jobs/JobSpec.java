package dev.drydock.orchestrator.jobs;

/** What all jobs on a host say of it. */
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
}
