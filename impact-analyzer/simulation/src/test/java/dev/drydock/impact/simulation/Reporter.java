package dev.drydock.impact.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Brings what sources read to those who decide by it, and to who watches them. */
final class Reporter {
  private static final double LOST = 0.05;
  private static final double LATE = 0.05;

  private final Agenda agenda;
  private final SimulatedFleet simulatedFleet;
  private final Inventory inventory;
  private final Verifier verifier;
  private final Map<String, List<Report.Seen>> last = new HashMap<>();
  private Runnable changed = () -> {};

  Reporter(Agenda agenda, SimulatedFleet simulatedFleet, Inventory inventory, Verifier verifier) {
    this.agenda = agenda;
    this.simulatedFleet = simulatedFleet;
    this.inventory = inventory;
    this.verifier = verifier;
  }

  /** A report tells something else than the one before. */
  void whenChanged(Runnable then) {
    changed = then;
  }

  /** Most reports arrive at once, some after later ones, some never. */
  void send(String source) {
    Report report = simulatedFleet.read(source);
    if (!agenda.chance(LOST)) {
      double takes = agenda.chance(LATE) ? agenda.between(5, 25) : agenda.between(0, 2);
      agenda.in(takes, () -> take(report));
    }
  }

  /** Somebody waits for what is read now. */
  void now(String source) {
    take(simulatedFleet.read(source, 0));
  }

  private void take(Report report) {
    inventory.take(report);
    verifier.reported(report);
    if (!report.instances().equals(last.put(report.source(), report.instances()))) {
      changed.run();
    }
  }
}
