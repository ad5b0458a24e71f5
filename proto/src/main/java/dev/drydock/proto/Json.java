package dev.drydock.proto;

import com.linkedin.data.DataList;
import com.linkedin.data.DataMap;
import com.linkedin.data.codec.JacksonDataCodec;
import com.linkedin.data.template.DataTemplateUtil;
import com.linkedin.data.template.RecordTemplate;
import dev.drydock.api.ErrorDetail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * JSON text from records and back. Never hand a record to a general JSON mapper: it does not fail,
 * it writes nonsense. Stateless; safe for use by many threads.
 */
public final class Json {
  private static final JacksonDataCodec CODEC = new JacksonDataCodec();

  private Json() {}

  /** The record as JSON text. Fields that were never set are absent; defaults are not written. */
  public static String write(RecordTemplate record) {
    return text(record.data());
  }

  /**
   * Reads what {@link #write} wrote earlier, for example from a jsonb column. Unknown fields are
   * kept, so that a newer writer does not break an older reader.
   *
   * @throws InvalidRecordException if the text is not a JSON object
   */
  public static <T extends RecordTemplate> T read(String json, Class<T> type) {
    return DataTemplateUtil.wrap(map(json), type);
  }

  /**
   * Reads what somebody else wrote: every field is checked against the schema and unknown fields
   * are refused.
   *
   * @throws InvalidRecordException with all faults
   */
  public static <T extends RecordTemplate> T readStrict(String json, Class<T> type) {
    T record = read(json, type);
    List<ErrorDetail> faults = Validation.strict(record);
    if (!faults.isEmpty()) {
      throw new InvalidRecordException("not a valid " + type.getSimpleName(), faults);
    }
    return record;
  }

  /**
   * Maps, lists, strings, numbers and booleans as JSON text, for columns that are no records.
   *
   * @throws IllegalArgumentException for any other value, null included
   */
  public static String writeTree(Map<String, ?> tree) {
    return text((DataMap) node(tree));
  }

  /** The reverse of {@link #writeTree}. */
  public static Map<String, Object> readTree(String json) {
    return map(json);
  }

  /**
   * Any JSON object or list as maps, lists and plain values.
   *
   * @throws InvalidRecordException if the text is neither
   */
  public static Object readValue(String json) {
    return json.stripLeading().startsWith("[") ? list(json) : map(json);
  }

  private static Object node(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        DataMap copy = new DataMap();
        map.forEach((key, child) -> copy.put(String.valueOf(key), node(child)));
        yield copy;
      }
      case Iterable<?> items -> {
        DataList copy = new DataList();
        items.forEach(child -> copy.add(node(child)));
        yield copy;
      }
      case RecordTemplate record -> record.data();
      case String text -> text;
      case Boolean flag -> flag;
      case Number number -> number;
      case Enum<?> constant -> constant.name();
      default -> throw new IllegalArgumentException("no JSON form for " + value.getClass());
    };
  }

  private static String text(DataMap map) {
    try {
      return CODEC.mapToString(map);
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory failed", impossible);
    }
  }

  private static DataMap map(String json) {
    if (json.isBlank()) {
      throw new InvalidRecordException("not a JSON object: the text is empty", List.of());
    }
    try {
      return CODEC.stringToMap(json);
    } catch (IOException malformed) {
      throw new InvalidRecordException("not a JSON object: " + firstLine(malformed), List.of());
    }
  }

  private static DataList list(String json) {
    try {
      return CODEC.stringToList(json);
    } catch (IOException malformed) {
      throw new InvalidRecordException("not a JSON list: " + firstLine(malformed), List.of());
    }
  }

  private static String firstLine(Exception cause) {
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
  }
}
