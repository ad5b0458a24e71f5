package dev.drydock.orchestrator.exits;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Machines and what is known of them, as the table of {@code docs/exits.md}. Pure.
 *
 * @param cells what tests show
 * @param explored what the explorer of the core reaches
 */
record Table(List<Machine> machines, List<Cell> cells, List<Cell> explored) {
  private static final String HEAD =
      """
      # Every state, and every way out of it

      Written by `make exits` from the enums of the code and from what its tests say they show
      (`@Shows`); a test fails where this is not what they say, and where a cell has no test.

      The ends of Phase are those that the explorer of the core reaches when one thing goes wrong;
      the shortest way to each is in
      [exits.txt](../orchestrator/core/src/test/resources/exits.txt). *Explored* says that no test
      shows an end on a real PostgreSQL. A test that shows an end which was not explored fails.

      """;

  /** What keeps it from being a table: cells that nothing shows, and claims about nothing. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (Machine machine : machines) {
      for (String state : machine.states()) {
        for (Exit exit : machine.exits()) {
          int ways = shown(machine, state, exit).size();
          boolean without = machine.without().containsKey(state + " " + exit.word());
          String cell = machine.name() + "." + state + " × " + exit.word();
          if (machine.last().test(state)) {
            if (ways > 0 || without) {
              faults.add(cell + ": nothing follows this state, and something is said of it");
            }
          } else if (without && ways > 0) {
            faults.add(cell + ": said not to be there, and shown");
          } else if (!without
              && ways == 0
              && !machine.unshown().containsKey(state + " " + exit.word())) {
            faults.add(cell + ": no test shows it; see Shows");
          }
        }
      }
      Stream.of(machine.without(), machine.unshown(), machine.unexplored())
          .flatMap(reasons -> reasons.keySet().stream())
          .filter(key -> !machine.states().contains(key.substring(0, key.indexOf(' '))))
          .forEach(key -> faults.add(machine.name() + " has no such state: " + key));
    }
    for (Cell cell : cells) {
      if (machines.stream()
          .noneMatch(
              machine ->
                  machine.name().equals(cell.machine())
                      && machine.states().contains(cell.state()))) {
        faults.add(cell.test() + " shows a state that is not there: " + cell.state());
      }
    }
    faults.addAll(new Reached(machines, cells, explored).faults());
    return faults;
  }

  /** As Markdown. */
  String text() {
    StringBuilder text = new StringBuilder(HEAD);
    for (Machine machine : machines) {
      text.append("## ").append(machine.name()).append("\n\n");
      text.append(machine.about()).append("\n\n| state |");
      machine.exits().forEach(exit -> text.append(" ").append(exit.word()).append(" |"));
      text.append("\n|---|").append("---|".repeat(machine.exits().size())).append("\n");
      for (String state : machine.states()) {
        text.append("| ").append(state).append(" |");
        for (Exit exit : machine.exits()) {
          text.append(" ").append(cell(machine, state, exit)).append(" |");
        }
        text.append("\n");
      }
      text.append("\n");
    }
    return text.toString().stripTrailing() + "\n";
  }

  private String cell(Machine machine, String state, Exit exit) {
    if (machine.last().test(state)) {
      return "final";
    }
    String without = machine.without().get(state + " " + exit.word());
    if (without != null) {
      return without;
    }
    Map<String, Set<String>> byEnd = new LinkedHashMap<>();
    for (Cell cell : shown(machine, state, exit)) {
      byEnd.computeIfAbsent(cell.end(), end -> new TreeSet<>()).add("`" + cell.test() + "`");
    }
    String alone = machine.unshown().getOrDefault(state + " " + exit.word(), "explored");
    for (Cell cell : in(explored, machine, state, exit)) {
      byEnd.putIfAbsent(cell.end(), Set.of(alone));
    }
    return byEnd.entrySet().stream()
        .map(end -> end.getKey() + ": " + String.join(", ", end.getValue()))
        .sorted()
        .collect(Collectors.joining("; "));
  }

  private List<Cell> shown(Machine machine, String state, Exit exit) {
    return in(cells, machine, state, exit);
  }

  /** Those of one field of the table. */
  static List<Cell> in(List<Cell> cells, Machine machine, String state, Exit exit) {
    return cells.stream()
        .filter(
            cell ->
                cell.machine().equals(machine.name())
                    && cell.state().equals(state)
                    && cell.exit() == exit)
        .toList();
  }
}
