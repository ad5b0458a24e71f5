package dev.drydock.orchestrator.batch;

import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads columns of the types that rows of batches have. */
final class ColumnReader {
  private ColumnReader() {}

  /** A text that may be null. */
  static Optional<String> text(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getString(column));
  }

  /** Yes or no, which may be null. */
  static Optional<Boolean> maybeBoolean(ResultSet row, String column) throws SQLException {
    boolean is = row.getBoolean(column);
    return row.wasNull() ? Optional.empty() : Optional.of(is);
  }

  /** Texts of an array that is not null. */
  static List<String> texts(ResultSet row, String column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }

  /** A time that is not null. */
  static Instant time(ResultSet row, String column) throws SQLException {
    return row.getTimestamp(column).toInstant();
  }

  /** A time that may be null. */
  static Optional<Instant> maybeTime(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }

  /** A JSON object of texts; empty if it is null. */
  static Map<String, String> object(ResultSet row, String column) throws SQLException {
    String json = row.getString(column);
    return json == null
        ? Map.of()
        : Json.readTree(json).entrySet().stream()
            .filter(entry -> Objects.nonNull(entry.getValue()))
            .collect(
                Collectors.toMap(Map.Entry::getKey, entry -> String.valueOf(entry.getValue())));
  }
}
