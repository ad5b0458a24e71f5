package dev.drydock.impact.service;

import dev.drydock.api.PolicyDocument;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Selection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
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
          .complete();

  private PolicyRows() {}

  /** As the wire has them: some fields of all of them, by name. */
  static Selection<PolicyDocument> documents(Fields fields) {
    return DOCUMENTS
        .select(fields)
        .where("p.version = (SELECT max(version) FROM policies WHERE name = p.name)")
        .orderBy("p.name");
  }

  /** As the wire has it: some fields of one. */
  static Optional<PolicyDocument> document(Handle handle, String name, Fields fields) {
    return DOCUMENTS
        .select(fields)
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

  static List<StoredPolicy> all(Handle handle) {
    return handle.createQuery(NEWEST + " ORDER BY p.name").map((row, _) -> stored(row)).list();
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
