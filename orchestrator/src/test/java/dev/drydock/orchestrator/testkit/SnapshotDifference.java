package dev.drydock.orchestrator.testkit;

import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Remediation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares what a decision expects to find after its actions with what is read from the rows then,
 * field by field. What the decision cannot know is left out:
 *
 * <ul>
 *   <li>times that the database reads from its clock, but not whether there is one. Those that the
 *       decision itself sets are compared;
 *   <li>what policies say once hooks are written, and remediations elsewhere: neither is read then;
 *   <li>whether the inventory still says that a host is on the release.
 * </ul>
 */
public final class SnapshotDifference {
  private static final Set<String> UNKNOWN = Set.of("wanted", "running", "loads", "seemsDone");

  /** Times that a decision sets. */
  private static final Set<String> DECIDED = Set.of("remindAt", "expiresAt");

  private final Map<String, String> fields = new TreeMap<>();

  private SnapshotDifference() {}

  /** One line for each field that differs; empty if none does. */
  public static List<String> between(BatchSnapshot expected, BatchSnapshot read) {
    Map<String, String> hoped = fields(expected);
    Map<String, String> found = fields(read);
    Set<String> paths = new TreeSet<>(hoped.keySet());
    paths.addAll(found.keySet());
    List<String> differences = new ArrayList<>();
    for (String path : paths) {
      String wanted = hoped.getOrDefault(path, "nothing");
      String is = found.getOrDefault(path, "nothing");
      if (!wanted.equals(is)) {
        differences.add("%s: expected %s, read %s".formatted(path, wanted, is));
      }
    }
    return differences;
  }

  /** Every value of a snapshot, by its place in it. */
  private static Map<String, String> fields(BatchSnapshot snapshot) {
    SnapshotDifference found = new SnapshotDifference();
    found.components("", snapshot);
    return found.fields;
  }

  private void add(String path, Object value) {
    switch (value) {
      case Instant _ -> fields.put(path, "a time");
      case Optional<?> maybe -> maybe.ifPresent(one -> add(path, one));
      case Map<?, ?> map -> map.forEach((key, one) -> add(path + "[" + key + "]", one));
      case Set<?> set -> fields.put(path, sorted(set));
      case List<?> list -> list(path, list);
      case Record composed -> components(path + ".", composed);
      default -> fields.put(path, String.valueOf(value));
    }
  }

  private static String sorted(Collection<?> values) {
    return values.stream().map(String::valueOf).sorted().toList().toString();
  }

  /** Values that have a name are found by it, the others by their place. */
  private void list(String path, List<?> list) {
    for (int i = 0; i < list.size(); i++) {
      add("%s[%s]".formatted(path, name(list.get(i)).orElse(String.valueOf(i))), list.get(i));
    }
  }

  private static Optional<String> name(Object value) {
    return switch (value) {
      case BatchHost host -> Optional.of(host.name());
      case BatchJob batchJob -> Optional.of(batchJob.id());
      case Check check -> Optional.of(check.kind().word());
      case BatchHook hook -> Optional.of(String.valueOf(hook.number()));
      case Remediation one -> Optional.of(one.host() + " " + one.step().word());
      case Decision one -> Optional.of(one.id(""));
      default -> Optional.empty();
    };
  }

  private void components(String path, Record composed) {
    for (RecordComponent component : composed.getClass().getRecordComponents()) {
      String name = component.getName();
      if (DECIDED.contains(name)) {
        fields.put(path + name, String.valueOf(value(component, composed)));
      } else if (!UNKNOWN.contains(name)) {
        add(path + name, value(component, composed));
      }
    }
  }

  private static Object value(RecordComponent component, Record composed) {
    try {
      return component.getAccessor().invoke(composed);
    } catch (IllegalAccessException | InvocationTargetException unreadable) {
      throw new IllegalStateException("cannot read " + component, unreadable);
    }
  }
}
