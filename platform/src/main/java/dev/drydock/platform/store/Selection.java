package dev.drydock.platform.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * A query that {@link Columns} began: which rows, in which order. Immutable. Conditions and orders
 * are the program's own text, values are bound.
 */
public final class Selection<R> {
  private final String select;
  private final String count;
  private final Reader<R> reader;
  private final String where;
  private final String order;
  private final Map<String, Object> values;

  /** Makes a record of the current row. */
  interface Reader<R> {
    R read(ResultSet row) throws SQLException;
  }

  Selection(String select, String count, Reader<R> reader) {
    this(select, count, reader, "", "", Map.of());
  }

  private Selection(
      String select,
      String count,
      Reader<R> reader,
      String where,
      String order,
      Map<String, Object> values) {
    this.select = select;
    this.count = count;
    this.reader = reader;
    this.where = where;
    this.order = order;
    this.values = values;
  }

  /** Only rows for which this holds, and what was said before. */
  public Selection<R> where(String condition) {
    String narrower = (where.isEmpty() ? " WHERE (" : where + " AND (") + condition + ")";
    return new Selection<>(select, count, reader, narrower, order, values);
  }

  /** In this order, which has to be total if pages are read. */
  public Selection<R> orderBy(String expressions) {
    return new Selection<>(select, count, reader, where, " ORDER BY " + expressions, values);
  }

  public Selection<R> bind(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(values);
    more.put(name, value);
    return new Selection<>(select, count, reader, where, order, more);
  }

  public List<R> list(Handle handle) {
    return bound(handle, select + where + order).map((row, _) -> reader.read(row)).list();
  }

  public Optional<R> first(Handle handle) {
    return bound(handle, select + where + order).map((row, _) -> reader.read(row)).findFirst();
  }

  /** A part of them, and how many there are, as one consistent view. */
  public Page<R> page(Jdbi jdbi, PageRequest pageRequest) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ, handle -> page(handle, pageRequest));
  }

  /** The same within a transaction of the caller. */
  public Page<R> page(Handle handle, PageRequest pageRequest) {
    List<R> elements =
        bound(handle, select + where + order + " LIMIT :windowCount OFFSET :windowStart")
            .bind("windowCount", pageRequest.count())
            .bind("windowStart", pageRequest.start())
            .map((row, _) -> reader.read(row))
            .list();
    int total = bound(handle, count + where).mapTo(Integer.class).one();
    return new Page<>(elements, total);
  }

  private Query bound(Handle handle, String sql) {
    Query query = handle.createQuery(sql);
    values.forEach(query::bind);
    return query;
  }
}
