package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Remembers which hosts submissions were refused for: {@code host why} tells it. */
public final class RefusedHosts {
  private static final int HOSTS_MAX = 1000;
  private static final int PER_HOST_MAX = 20;
  private static final int REASON_MAX = 2000;

  private RefusedHosts() {}

  /**
   * Keeps the reasons, by host, of a submission that was refused.
   *
   * @return whether there were any
   */
  public static boolean keep(
      Handle handle, String requester, String release, Map<String, String> reasons) {
    if (reasons.isEmpty()) {
      return false;
    }
    List<String> hosts = reasons.keySet().stream().limit(HOSTS_MAX).toList();
    Sql.update(
        handle,
        """
        INSERT INTO refused_hosts (host, requester, release, reason)
        SELECT host, :requester, :release, left(reason, :longest)
        FROM unnest(:hosts, :reasons) AS r (host, reason)
        """,
        Map.of(
            "requester", requester,
            "release", release,
            "longest", REASON_MAX,
            "hosts", hosts,
            "reasons", hosts.stream().map(reasons::get).toList()));
    Sql.update(
        handle,
        """
        DELETE FROM refused_hosts WHERE ctid IN (
          SELECT ctid FROM refused_hosts WHERE at < clock_timestamp() - interval '30 days'
          UNION ALL
          SELECT ctid FROM (
            SELECT ctid, row_number() OVER (PARTITION BY host ORDER BY at DESC) AS place
            FROM refused_hosts WHERE host = ANY(:hosts)) r WHERE place > :most)
        """,
        Map.of("hosts", hosts, "most", PER_HOST_MAX));
    return true;
  }
}
