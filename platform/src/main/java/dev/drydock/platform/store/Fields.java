package dev.drydock.platform.store;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which fields of a record somebody wants, and which of the records within it. Immutable. */
public final class Fields {
  private static final Fields ALL = new Fields(true, Map.of());

  private final boolean all;
  private final Map<String, Fields> some;

  private Fields(boolean all, Map<String, Fields> some) {
    this.all = all;
    this.some = Map.copyOf(some);
  }

  /** The whole record. */
  public static Fields all() {
    return ALL;
  }

  /** These, whole. */
  public static Fields of(String... names) {
    return of(Stream.of(names).collect(Collectors.toMap(name -> name, _ -> ALL)));
  }

  /** These, each with what is wanted of the records within it. */
  public static Fields of(Map<String, Fields> wanted) {
    return new Fields(false, wanted);
  }

  public boolean wants(String field) {
    return all || some.containsKey(field);
  }

  /** What is wanted of the records in a field. */
  public Fields within(String field) {
    return all ? ALL : some.getOrDefault(field, of());
  }

  /** These and one more, for what the reader itself needs to know. */
  public Fields and(String field) {
    if (wants(field)) {
      return this;
    }
    Map<String, Fields> more = new TreeMap<>(some);
    more.put(field, ALL);
    return of(more);
  }
}
