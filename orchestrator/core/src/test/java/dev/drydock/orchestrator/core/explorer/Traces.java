package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * How hosts end when one thing goes wrong, by the phase in which it did and by what it was, each
 * with the shortest way there.
 */
final class Traces {
  private static final Predicate<Phase> FORWARD = Phase.forward()::contains;

  private final Map<Phase, SortedMap<String, SortedMap<String, String>>> ways =
      new EnumMap<>(Phase.class);

  /** Meets a state: what it says of hosts that left is remembered if something went wrong. */
  void met(BatchState batchState, Supplier<String> way) {
    if (batchState.first == 0) {
      return;
    }
    Fault.Exit[] exits = Fault.Exit.values();
    Phase phase = Phase.values()[(batchState.first - 1) / exits.length];
    Fault.Exit exit = exits[(batchState.first - 1) % exits.length];
    for (int end : batchState.ends) {
      if (end > 0) {
        ways.computeIfAbsent(phase, _ -> new TreeMap<>())
            .computeIfAbsent(exit.word(), _ -> new TreeMap<>())
            .computeIfAbsent(HostEnd.values()[end - 1].word(), _ -> way.get());
      }
    }
  }

  /** The ways of several searches together. */
  void add(Traces other) {
    other.ways.forEach(
        (phase, exits) ->
            exits.forEach(
                (exit, ends) ->
                    ends.forEach(
                        (end, way) ->
                            ways.computeIfAbsent(phase, _ -> new TreeMap<>())
                                .computeIfAbsent(exit, _ -> new TreeMap<>())
                                .putIfAbsent(end, way))));
  }

  /** The words of the ends, by phase and by how the batch left its way. */
  SortedMap<Phase, SortedMap<String, SortedSet<String>>> ends() {
    SortedMap<Phase, SortedMap<String, SortedSet<String>>> ends = new TreeMap<>();
    ways.forEach(
        (phase, exits) ->
            exits.forEach(
                (exit, how) ->
                    ends.computeIfAbsent(phase, _ -> new TreeMap<>())
                        .put(exit, new TreeSet<>(how.keySet()))));
    return ends;
  }

  /** One line for each end: phase, exit and end, and the shortest way there. */
  String text() {
    StringBuilder text = new StringBuilder();
    ways.forEach(
        (phase, exits) ->
            exits.forEach(
                (exit, how) ->
                    how.forEach(
                        (end, way) ->
                            text.append(
                                "%s | %s | %s | %s%n".formatted(phase, exit, end, line(way))))));
    return text.toString();
  }

  private static String line(String way) {
    return way.strip().lines().map(String::strip).collect(Collectors.joining("; "));
  }

  /**
   * All ways in which one thing goes wrong in the scenarios that are made for it. Something has
   * gone wrong before a batch is on its way back: there it is what goes wrong then.
   */
  static Traces ways() {
    Traces all = new Traces();
    for (Scenario scenario : Scenarios.EXITS) {
      all.add(new Explorer(scenario, Bug.NONE, FORWARD).explore().traces());
    }
    for (Scenario scenario : Scenarios.EXITS_BACK) {
      all.add(new Explorer(scenario, Bug.NONE, FORWARD.negate()).explore().traces());
    }
    return all;
  }

  /** What is true of a host, as people read it. */
  static String says(int truth) {
    List<String> words = new ArrayList<>();
    String[] all = {
      "frozen",
      "stopped",
      "changed and not judged",
      "updated",
      "on the release",
      "taken back",
      "touched",
      "unknown"
    };
    for (int bit = 0; bit < all.length; bit++) {
      if (ActualHostState.is(truth, 1 << bit)) {
        words.add(all[bit]);
      }
    }
    return words.isEmpty() ? "as before" : String.join(", ", words);
  }
}
