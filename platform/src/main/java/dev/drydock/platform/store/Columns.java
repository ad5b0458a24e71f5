package dev.drydock.platform.store;

import com.linkedin.data.DataMap;
import com.linkedin.data.codec.JacksonDataCodec;
import com.linkedin.data.schema.DataSchema;
import com.linkedin.data.schema.RecordDataSchema;
import com.linkedin.data.template.DataTemplateUtil;
import com.linkedin.data.template.RecordTemplate;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * From which SQL expression each field of a wire record is read, so that a query selects what its
 * caller wants and nothing else, and joins only what that needs. Immutable; the methods that add to
 * it return another one, {@link #complete} sees to it that no field is forgotten.
 *
 * <p>How a value is read follows from the type of the field: a moment becomes milliseconds since
 * the epoch, JSON becomes maps, lists and records, NULL an absent field.
 */
public final class Columns<R extends RecordTemplate> {
  private static final JacksonDataCodec CODEC = new JacksonDataCodec();

  private final Class<R> type;
  private final RecordDataSchema schema;
  private final String table;
  private final String join;
  private final Map<String, Column> columns;

  /** What is read for one field; the join is empty when the table itself has it. */
  private record Column(RecordDataSchema.Field field, String sql, String join) {}

  private Columns(Class<R> type, String table, String join, Map<String, Column> columns) {
    this.type = type;
    this.schema = (RecordDataSchema) DataTemplateUtil.getSchema(type);
    this.table = table;
    this.join = join;
    this.columns = columns;
  }

  /** No fields yet, of rows of a table, such as {@code "hosts h"}. */
  public static <R extends RecordTemplate> Columns<R> of(Class<R> type, String table) {
    return new Columns<>(type, table, "", Map.of());
  }

  /** One more field and what to select for it. */
  public Columns<R> field(String name, String sql) {
    RecordDataSchema.Field field = schema.getField(name);
    if (field == null) {
      throw new IllegalArgumentException(schema.getFullName() + " has no field " + name);
    }
    Map<String, Column> more = new LinkedHashMap<>(columns);
    more.put(name, new Column(field, sql, join));
    return new Columns<>(type, table, join, more);
  }

  /**
   * Fields that are columns of their names: {@code endedAt} is {@code ended_at}.
   *
   * @param of what has the columns, such as {@code h}
   * @param names of the fields, with blanks between
   */
  public Columns<R> named(String of, String names) {
    Columns<R> all = this;
    for (String name : names.split(" ", -1)) {
      String column = name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
      all = all.field(name, of + "." + column);
    }
    return all;
  }

  /** The fields added from here on need this join, which must not change the number of rows. */
  public Columns<R> join(String sql) {
    return new Columns<>(type, table, sql, columns);
  }

  /** Every field that was not added yet is the key of its name in a JSON object. */
  public Columns<R> rest(String json) {
    Columns<R> all = this;
    for (RecordDataSchema.Field field : schema.getFields()) {
      if (!columns.containsKey(field.getName())) {
        String arrow = isTree(field.getType().getDereferencedType()) ? "->" : "->>";
        all = all.field(field.getName(), json + arrow + "'" + field.getName() + "'");
      }
    }
    return all;
  }

  /**
   * Checks that every field of the record is read here or named as being set elsewhere.
   *
   * @throws IllegalStateException if one was forgotten
   */
  public Columns<R> complete(String... elsewhere) {
    Set<String> forgotten = new TreeSet<>();
    schema.getFields().forEach(field -> forgotten.add(field.getName()));
    forgotten.removeAll(columns.keySet());
    forgotten.removeAll(Set.of(elsewhere));
    if (!forgotten.isEmpty()) {
      throw new IllegalStateException(
          schema.getFullName() + ": nothing says where these are read from: " + forgotten);
    }
    return this;
  }

  /** A query for some fields of the rows of the table. */
  public Selection<R> select(FieldMask fieldMask) {
    List<Column> wanted =
        columns.values().stream().filter(c -> fieldMask.wants(c.field().getName())).toList();
    List<String> selected = new ArrayList<>(wanted.stream().map(Column::sql).toList());
    if (selected.isEmpty()) {
      selected.add("1"); // The caller still wants to know how many there are.
    }
    StringBuilder from = new StringBuilder(table);
    Set<String> joined = new HashSet<>(Set.of(""));
    wanted.stream()
        .map(Column::join)
        .filter(joined::add)
        .forEach(sql -> from.append(' ').append(sql));
    return new Selection<>(
        "SELECT " + String.join(", ", selected) + " FROM " + from,
        "SELECT count(*) FROM " + table,
        row -> record(row, wanted));
  }

  private R record(ResultSet row, List<Column> wanted) throws SQLException {
    DataMap data = new DataMap();
    for (int i = 0; i < wanted.size(); i++) {
      RecordDataSchema.Field field = wanted.get(i).field();
      Optional.ofNullable(value(row, i + 1, field.getType().getDereferencedType()))
          .ifPresent(value -> data.put(field.getName(), value));
    }
    return DataTemplateUtil.wrap(data, type);
  }

  private static @Nullable Object value(ResultSet row, int at, DataSchema.Type type)
      throws SQLException {
    Object value =
        switch (type) {
          case STRING, ENUM -> row.getString(at);
          case INT -> row.getInt(at);
          case LONG -> number(row, at);
          case BOOLEAN -> row.getBoolean(at);
          case DOUBLE -> row.getDouble(at);
          case MAP, RECORD, ARRAY -> tree(row.getString(at), type);
          default -> throw new IllegalStateException("no column holds a " + type);
        };
    return row.wasNull() ? null : value;
  }

  private static long number(ResultSet row, int at) throws SQLException {
    return row.getObject(at) instanceof Timestamp time ? time.getTime() : row.getLong(at);
  }

  private static boolean isTree(DataSchema.Type type) {
    return switch (type) {
      case MAP, RECORD, ARRAY -> true;
      default -> false;
    };
  }

  private static @Nullable Object tree(@Nullable String json, DataSchema.Type type) {
    if (json == null) {
      return null;
    }
    try {
      return type == DataSchema.Type.ARRAY ? CODEC.stringToList(json) : CODEC.stringToMap(json);
    } catch (IOException malformed) {
      throw new IllegalStateException("a column holds what is no JSON " + type, malformed);
    }
  }
}
