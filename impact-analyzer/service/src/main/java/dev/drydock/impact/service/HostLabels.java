package dev.drydock.impact.service;

import dev.drydock.impact.core.Facts;
import dev.drydock.impact.core.Policies;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Reads the labels of hosts that rules in force ask for. */
final class HostLabels {
  private HostLabels() {}

  /** By host, then by key; a host without any of them is left out. */
  static Map<String, Map<String, String>> read(Handle handle, Policies policies) {
    String[] keys =
        policies.byApplication().keySet().stream()
            .map(policies::facts)
            .map(Facts::labels)
            .flatMap(labels -> labels.stream())
            .distinct()
            .toArray(String[]::new);
    Map<String, Map<String, String>> labels = new HashMap<>();
    if (keys.length > 0) {
      handle
          .createQuery(
              """
              SELECT h.name, l.key, l.value FROM hosts h, jsonb_each_text(h.labels) AS l
              WHERE l.key = ANY (:keys) AND l.value IS NOT NULL
              """)
          .bind("keys", keys)
          .map(
              (row, _) ->
                  labels
                      .computeIfAbsent(row.getString("name"), _ -> new HashMap<>())
                      .put(row.getString("key"), row.getString("value")))
          .list();
    }
    return labels;
  }
}
