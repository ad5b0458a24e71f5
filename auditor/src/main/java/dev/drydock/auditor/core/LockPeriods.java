package dev.drydock.auditor.core;

import dev.drydock.auditor.core.Timeline.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * From when to when hosts had a lock of any kind. Of what had happened by a moment the last grant
 * in the order of the history counts, unless its end had happened as well.
 */
final class LockPeriods {
  private LockPeriods() {}

  /** An entry that had happened from then on; {@code place} is its place in the history. */
  private record Step<K>(K from, int place, LockEntry entry) {}

  /** One host, as of what had happened so far. */
  private static final class Host {
    private final Map<String, Integer> ends = new HashMap<>();
    private String lock = "";
    private int place = -1;
    private boolean held;

    boolean after(int at, LockEntry entry) {
      if (entry.what().equals("Ended")) {
        ends.merge(entry.lock(), at, Math::max);
      } else if (at > place) {
        place = at;
        lock = entry.lock();
      }
      return place >= 0 && ends.getOrDefault(lock, -1) < place;
    }
  }

  /**
   * @param history in its order
   * @param from from when on an entry had happened
   */
  static <K extends Comparable<? super K>> Timeline<K, String> of(
      List<LockEntry> history, Function<LockEntry, K> from) {
    List<Step<K>> steps = new ArrayList<>();
    for (LockEntry entry : history) {
      switch (entry.what()) {
        case "Granted", "Quarantined", "Ended" ->
            steps.add(new Step<>(from.apply(entry), steps.size(), entry));
        default -> {}
      }
    }
    steps.sort(Comparator.comparing(Step<K>::from));
    Map<String, Host> hosts = new HashMap<>();
    List<Turn<K, String>> turns = new ArrayList<>();
    for (Step<K> step : steps) {
      for (String name : step.entry().hosts()) {
        Host host = hosts.computeIfAbsent(name, _ -> new Host());
        boolean held = host.after(step.place(), step.entry());
        if (held != host.held) {
          host.held = held;
          turns.add(new Turn<>(step.from(), name, held));
        }
      }
    }
    return new Timeline<>(turns);
  }
}
