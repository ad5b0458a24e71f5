package dev.drydock.impact.service;

import dev.drydock.api.PolicyDocument;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Selection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Reads the newest version of policies, within a transaction of the caller. */
final class PolicyRows {
  private static final String NEWEST =
      """
      SELECT p.name, p.version, p.team, p.yaml, p.created_at, p.created_by,
        ARRAY(SELECT a.application FROM policy_applications a WHERE a.policy = p.name
              ORDER BY a.application) AS applications
      FROM policies p
      WHERE p.version = (SELECT max(version) FROM policies WHERE name = p.name)
      """;

  /** Which text is in force for which applications; a version never changes its text. */
  record InForce(Version version, List<String> applications) {}

  /**
   * One text of a policy.
   *
   * @param at when it was written, which tells it from one of the same number in a database that
   *     was set up anew
   */
  record Version(String name, int version, Instant at) {}

  private static final Columns<PolicyDocument> DOCUMENTS =
      Columns.of(PolicyDocument.class, "policies p")
          .field("yaml", "p.yaml")
          .field("name", "p.name")
          .field("team", "p.team")
          .field("version", "p.version")
          .field(
              "applications",
              """
              to_jsonb(ARRAY(SELECT a.application FROM policy_applications a
                             WHERE a.policy = p.name ORDER BY a.application))
              """)
          .field("createdAt", "p.created_at")
          .field("createdBy", "p.created_by")
          .complete("warnings");

  private PolicyRows() {}

  /** As the wire has them: some fields of all of them, by name. */
  static Selection<PolicyDocument> documents(FieldMask fieldMask) {
    return DOCUMENTS
        .select(fieldMask)
        .where("p.version = (SELECT max(version) FROM policies WHERE name = p.name)")
        .orderBy("p.name");
  }

  /** As the wire has it: some fields of one. */
  static Optional<PolicyDocument> document(Handle handle, String name, FieldMask fieldMask) {
    return DOCUMENTS
        .select(fieldMask)
        .where("p.name = :name")
        .orderBy("p.version DESC")
        .bind("name", name)
        .first(handle);
  }

  static Optional<StoredPolicy> find(Handle handle, String name) {
    return handle
        .createQuery(NEWEST + " AND p.name = :name")
        .bind("name", name)
        .map((row, _) -> stored(row))
        .findOne();
  }

  /** The newest versions of all, by name. */
  static List<InForce> inForce(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT p.name, p.version, p.created_at, COALESCE(a.applications, '{}') AS applications
            FROM (SELECT DISTINCT ON (name) name, version, created_at FROM policies
                  ORDER BY name, version DESC) p
            LEFT JOIN (SELECT policy, array_agg(application ORDER BY application) AS applications
                       FROM policy_applications GROUP BY policy) a ON a.policy = p.name
            ORDER BY p.name
            """)
        .map(
            (row, _) ->
                new InForce(
                    new Version(
                        row.getString("name"),
                        row.getInt("version"),
                        row.getTimestamp("created_at").toInstant()),
                    List.of((String[]) row.getArray("applications").getArray())))
        .list();
  }

  /** What they say. */
  static Map<Version, String> texts(Handle handle, Collection<Version> versions) {
    Map<Version, String> texts = new HashMap<>();
    if (!versions.isEmpty()) {
      handle
          .createQuery(
              """
              SELECT p.name, p.version, p.created_at, p.yaml
              FROM unnest(CAST(:names AS text[]), CAST(:versions AS int[])) AS w (name, version)
              JOIN policies p USING (name, version)
              """)
          .bind("names", versions.stream().map(Version::name).toArray(String[]::new))
          .bind("versions", versions.stream().map(Version::version).toArray(Integer[]::new))
          .map(
              (row, _) ->
                  texts.put(
                      new Version(
                          row.getString("name"),
                          row.getInt("version"),
                          row.getTimestamp("created_at").toInstant()),
                      row.getString("yaml")))
          .list();
    }
    return texts;
  }

  private static StoredPolicy stored(ResultSet row) throws SQLException {
    return new StoredPolicy(
        row.getString("name"),
        row.getInt("version"),
        row.getString("team"),
        row.getString("yaml"),
        List.of((String[]) row.getArray("applications").getArray()),
        row.getTimestamp("created_at").toInstant(),
        row.getString("created_by"));
  }
}
