package dev.drydock.orchestrator.intake;

import dev.drydock.api.Release;
import dev.drydock.api.RolloutOriginKind;
import dev.drydock.orchestrator.versions.ReleaseOrder;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Hosts that are on a newer release than a submission wants: they would be drained, and then their
 * packages refuse to go back. The release of a host is the one that Drydock verified there last; of
 * a host that it never upgraded nothing is known here, and its own operator looks before anything
 * is done.
 */
final class DowngradeCheck {
  private DowngradeCheck() {}

  /** What the inventory tells of one host. */
  private record On(String host, String family, String release, String brought) {}

  /** By host, on which release it is, why that is newer, and what takes it back. */
  static Map<String, String> of(Handle handle, Release wanted, Collection<String> hosts) {
    Map<String, Release> specs = new HashMap<>();
    Map<String, Optional<String>> compared = new HashMap<>();
    Map<String, String> older = new HashMap<>();
    Sql.list(
            handle,
            On.class,
            """
            SELECT h.name AS host, h.release, COALESCE(h.labels->>'os-family', 'apt') AS family,
                   COALESCE((SELECT u.rollout FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
                             WHERE u.host = h.name AND u.state = 'Upgraded' AND r.release = h.release
                             ORDER BY u.ended_at DESC LIMIT 1), 'ROLLOUT') AS brought
            FROM hosts h JOIN releases s ON s.name = h.release
            WHERE h.name = ANY(:names) AND h.release <> :wanted
            """,
            Map.of("names", hosts, "wanted", wanted.getName()))
        .forEach(
            on ->
                compared
                    .computeIfAbsent(
                        on.family() + " " + on.release(),
                        _ ->
                            ReleaseOrder.older(
                                wanted,
                                specs.computeIfAbsent(on.release(), name -> release(handle, name)),
                                on.family()))
                    .ifPresent(
                        change ->
                            older.put(
                                on.host(),
                                "is on release %s, and release %s is older (%s); take it back with: drydock rollout revert %s"
                                    .formatted(
                                        on.release(), wanted.getName(), change, on.brought()))));
    return older;
  }

  /** Whether the submission is to take hosts back. */
  static boolean isWanted(Handle handle, Submission submission) {
    return submission
        .terms()
        .origin()
        .filter(
            origin ->
                origin.kind() == RolloutOriginKind.Revert || isWanted(handle, origin.rollout()))
        .isPresent();
  }

  /** Whether the rollout takes hosts back. */
  static boolean isWanted(Handle handle, String rollout) {
    return Sql.yes(handle, "SELECT goes_back(:rollout)", Map.of("rollout", rollout));
  }

  private static Release release(Handle handle, String name) {
    return handle
        .createQuery("SELECT spec::text FROM releases WHERE name = :name")
        .bind("name", name)
        .mapTo(String.class)
        .map(spec -> Json.read(spec, Release.class))
        .one();
  }
}
