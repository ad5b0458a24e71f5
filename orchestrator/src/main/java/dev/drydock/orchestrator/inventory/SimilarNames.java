package dev.drydock.orchestrator.inventory;

import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * What somebody probably meant who named a host that is not there: names are compared letter by
 * letter, while DNS takes capitals for small letters and a dot at the end for nothing.
 */
public final class SimilarNames {
  private static final int LOOKED_AT_MAX = 1_000;

  private SimilarNames() {}

  /** By the names that are not there, those that are; of others nothing is told. */
  public static Map<String, String> to(Handle handle, Collection<String> unknown) {
    Map<String, String> plain = new HashMap<>();
    unknown.stream().limit(LOOKED_AT_MAX).forEach(name -> plain.put(name, plain(name)));
    if (plain.isEmpty()) {
      return Map.of();
    }
    Map<String, String> known = new HashMap<>();
    Sql.texts(
            handle,
            "SELECT name FROM hosts WHERE lower(name) = ANY(:names) ORDER BY name",
            Map.of("names", plain.values()))
        .forEach(name -> known.putIfAbsent(plain(name), name));
    Map<String, String> alike = new HashMap<>();
    plain.forEach(
        (name, small) -> {
          String there = known.get(small);
          if (there != null) {
            alike.put(name, there);
          }
        });
    return alike;
  }

  private static String plain(String name) {
    return name.replaceFirst("\\.+$", "").toLowerCase(Locale.ROOT).replace("\0", "");
  }
}
