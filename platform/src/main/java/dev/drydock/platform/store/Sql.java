package dev.drydock.platform.store;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.result.ResultIterable;
import org.jdbi.v3.core.statement.SqlStatement;

/**
 * Statements that are one call: text, values by name, and what a row becomes. On a handle they are
 * part of its transaction, on a {@link Jdbi} each is one of its own.
 *
 * <p>A collection is bound as an array of texts. A row becomes a record whose components are named
 * as the columns are, {@code hardwareClass} as {@code hardware_class}; anything else is read from
 * the first column.
 */
public final class Sql {
  private static final ClassValue<RowMapper<?>> RECORDS =
      new ClassValue<>() {
        @Override
        protected RowMapper<?> computeValue(Class<?> type) {
          return ConstructorMapper.of(type);
        }
      };

  private Sql() {}

  /** Writes; answers how many rows. */
  public static int update(Handle handle, String sql, Map<String, ?> values) {
    return bound(handle.createUpdate(sql), values).execute();
  }

  public static int update(Jdbi jdbi, String sql, Map<String, ?> values) {
    return jdbi.withHandle(handle -> update(handle, sql, values));
  }

  /**
   * The only row.
   *
   * @throws IllegalStateException if there is none, or more
   */
  public static <T> T one(Handle handle, Class<T> type, String sql, Map<String, ?> values) {
    return rows(handle, type, sql, values).one();
  }

  public static <T> T one(Jdbi jdbi, Class<T> type, String sql, Map<String, ?> values) {
    return jdbi.withHandle(handle -> one(handle, type, sql, values));
  }

  /** The only row, if there is any. */
  public static <T> Optional<T> find(
      Handle handle, Class<T> type, String sql, Map<String, ?> values) {
    return rows(handle, type, sql, values).findOne();
  }

  public static <T> Optional<T> find(Jdbi jdbi, Class<T> type, String sql, Map<String, ?> values) {
    return jdbi.withHandle(handle -> find(handle, type, sql, values));
  }

  public static <T> List<T> list(Handle handle, Class<T> type, String sql, Map<String, ?> values) {
    return rows(handle, type, sql, values).list();
  }

  public static <T> List<T> list(Jdbi jdbi, Class<T> type, String sql, Map<String, ?> values) {
    return jdbi.withHandle(handle -> list(handle, type, sql, values));
  }

  /** Whether it is so: the only row of a query that asks. */
  public static boolean yes(Handle handle, String sql, Map<String, ?> values) {
    return one(handle, Boolean.class, sql, values);
  }

  public static boolean yes(Jdbi jdbi, String sql, Map<String, ?> values) {
    return one(jdbi, Boolean.class, sql, values);
  }

  public static List<String> texts(Handle handle, String sql, Map<String, ?> values) {
    return list(handle, String.class, sql, values);
  }

  public static List<String> texts(Jdbi jdbi, String sql, Map<String, ?> values) {
    return list(jdbi, String.class, sql, values);
  }

  /** What the second column has, by the text of the first, in the order of the rows. */
  public static <T> Map<String, T> byName(
      Handle handle, Class<T> type, String sql, Map<String, ?> values) {
    return bound(handle.createQuery(sql), values)
        .map(
            (row, context) ->
                Map.entry(
                    row.getString(1),
                    context.findColumnMapperFor(type).orElseThrow().map(row, 2, context)))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (_, last) -> last, LinkedHashMap::new));
  }

  public static <T> Map<String, T> byName(
      Jdbi jdbi, Class<T> type, String sql, Map<String, ?> values) {
    return jdbi.withHandle(handle -> byName(handle, type, sql, values));
  }

  @SuppressWarnings("unchecked") // The mapper of a class makes objects of it.
  private static <T> ResultIterable<T> rows(
      Handle handle, Class<T> type, String sql, Map<String, ?> values) {
    var query = bound(handle.createQuery(sql), values);
    return type.isRecord() ? query.map((RowMapper<T>) RECORDS.get(type)) : query.mapTo(type);
  }

  private static <S extends SqlStatement<S>> S bound(S statement, Map<String, ?> values) {
    values.forEach(
        (name, value) -> {
          if (value instanceof Collection<?> many) {
            statement.bindArray(name, String.class, many);
          } else {
            statement.bind(name, value);
          }
        });
    return statement;
  }
}
