package dev.drydock.orchestrator.exits;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What tests show against what the explorer reaches, of the machines that are explored. Pure. */
record Reached(List<Machine> machines, List<Cell> cells, List<Cell> explored) {

  /** Where the two contradict each other, and reasons that explain nothing. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (Machine machine : machines) {
      boolean known = explored.stream().anyMatch(one -> one.machine().equals(machine.name()));
      if (!known) {
        continue;
      }
      Set<String> needed = new HashSet<>();
      for (String state : machine.states()) {
        for (Exit exit : machine.exits()) {
          compare(machine, state, exit, needed, faults);
        }
      }
      machine.unexplored().keySet().stream()
          .filter(key -> !needed.contains(key))
          .forEach(
              key ->
                  faults.add("%s.%s: a reason that nothing needs".formatted(machine.name(), key)));
    }
    return faults;
  }

  private void compare(
      Machine machine, String state, Exit exit, Set<String> needed, List<String> faults) {
    List<String> ends = Table.in(explored, machine, state, exit).stream().map(Cell::end).toList();
    List<Cell> shown = Table.in(cells, machine, state, exit);
    String field = state + " " + exit.word();
    String place = machine.name() + "." + state + " × " + exit.word();
    for (Cell cell : shown) {
      String claim = field + " " + cell.end();
      if (!ends.contains(cell.end()) && !machine.unexplored().containsKey(claim)) {
        faults.add(
            "%s: %s shows %s, which the explorer never reaches"
                .formatted(place, cell.test(), cell.end()));
      } else if (!ends.contains(cell.end())) {
        needed.add(claim);
      }
    }
    boolean reason = machine.unshown().containsKey(field);
    if (!ends.isEmpty() && machine.without().containsKey(field)) {
      faults.add("%s: said not to be there, and explored to end %s".formatted(place, ends));
    }
    if (reason && (ends.isEmpty() || !shown.isEmpty())) {
      faults.add(place + ": a reason that nothing needs");
    }
  }
}
