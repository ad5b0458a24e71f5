package dev.drydock.platform.store;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which fields of a record somebody wants, and which of the records within it. Immutable. */
public final class FieldMask {
  private static final FieldMask ALL = new FieldMask(true, Map.of());

  private final boolean all;
  private final Map<String, FieldMask> some;

  private FieldMask(boolean all, Map<String, FieldMask> some) {
    this.all = all;
    this.some = Map.copyOf(some);
  }

  /** The whole record. */
  public static FieldMask all() {
    return ALL;
  }

  /** These, whole. */
  public static FieldMask of(String... names) {
    return of(Stream.of(names).collect(Collectors.toMap(name -> name, _ -> ALL)));
  }

  /** These, each with what is wanted of the records within it. */
  public static FieldMask of(Map<String, FieldMask> wanted) {
    return new FieldMask(false, wanted);
  }

  public boolean wants(String field) {
    return all || some.containsKey(field);
  }

  /** What is wanted of the records in a field. */
  public FieldMask within(String field) {
    return all ? ALL : some.getOrDefault(field, of());
  }

  /** These and one more, for what the reader itself needs to know. */
  public FieldMask and(String field) {
    if (wants(field)) {
      return this;
    }
    Map<String, FieldMask> more = new TreeMap<>(some);
    more.put(field, ALL);
    return of(more);
  }
}
