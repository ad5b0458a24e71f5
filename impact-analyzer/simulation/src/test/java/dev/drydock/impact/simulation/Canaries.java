package dev.drydock.impact.simulation;

import dev.drydock.impact.core.CanaryChoice;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.Judge;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Keeps the rest of a rollout waiting until its canaries are done and have soaked. */
final class Canaries {
  private static final double LOOKS_SECONDS = 5;

  private final Agenda agenda;
  private final Store store;
  private final Analyzer analyzer;
  private final Verifier verifier;
  private final Bug bug;
  private final List<Gate> gates = new ArrayList<>();
  private final Map<String, End> ends = new HashMap<>();
  private Runnable passed = () -> {};

  Canaries(Agenda agenda, Store store, Analyzer analyzer, Verifier verifier, Bug bug) {
    this.agenda = agenda;
    this.store = store;
    this.analyzer = analyzer;
    this.verifier = verifier;
    this.bug = bug;
    agenda.every(LOOKS_SECONDS, LOOKS_SECONDS, () -> true, this::look);
  }

  /** A closed gate of a rollout. */
  private record Gate(String rollout, CanaryGate made) {}

  private record End(Instant at, boolean well) {}

  void whenPassed(Runnable then) {
    passed = then;
  }

  void submitted(String rollout, List<List<String>> batches) {
    List<CanaryGate> made =
        CanaryChoice.of(analyzer.fleet(store.table()), analyzer.policies(), batches);
    made.forEach(gate -> gates.add(new Gate(rollout, gate)));
    verifier.chosen(rollout, batches, made);
  }

  void ended(String rollout, String host, boolean well) {
    ends.put(rollout + " " + host, new End(agenda.now(), well));
    verifier.ended(rollout, host, well);
  }

  boolean wait(String rollout, Collection<String> hosts) {
    return gates.stream()
        .anyMatch(
            gate ->
                gate.rollout().equals(rollout)
                    && hosts.stream().anyMatch(gate.made().waiting()::contains));
  }

  private void look() {
    for (Gate gate : List.copyOf(gates)) {
      List<End> those =
          gate.made().canaries().stream()
              .map(host -> ends.get(gate.rollout() + " " + host))
              .filter(Objects::nonNull)
              .toList();
      boolean done = those.size() == gate.made().canaries().size();
      boolean well = those.stream().allMatch(End::well) || bug == Bug.FORGIVES_BAD_CANARIES;
      Instant soaked = agenda.now().minus(gate.made().canary().soak());
      boolean soaks =
          those.stream().anyMatch(end -> end.at().isAfter(soaked))
              && bug != Bug.LETS_NO_CANARY_SOAK;
      if (done && well && !soaks && up(gate)) {
        gates.remove(gate);
        verifier.passes(gate.rollout(), gate.made());
        passed.run();
      }
    }
  }

  private boolean up(Gate gate) {
    LockTable table = store.table();
    return bug == Bug.LETS_CANARIES_BE_DOWN
        || Judge.notUp(
                analyzer.fleet(table),
                analyzer.policies(),
                table.locks().keySet(),
                gate.made().canaries(),
                gate.made().applications())
            .isEmpty();
  }
}
