package dev.drydock.orchestrator.watchdog;

import dev.drydock.orchestrator.core.watchdog.ActivePhase;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Cohort;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Work;
import dev.drydock.orchestrator.core.watchdog.BudgetCost;
import dev.drydock.orchestrator.core.watchdog.Overdue;
import dev.drydock.orchestrator.core.watchdog.Overdue.Known;
import dev.drydock.orchestrator.core.watchdog.TypicalDuration;
import dev.drydock.orchestrator.remediation.RepairSlots;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.watchdog.PhaseRows.Terms;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks at the phases of all batches: one that takes too long gets a row, its owners an event, and
 * its host a reason; one that went on is over. Ends no job. Repeating a look changes nothing, so
 * any number of processes may look. Safe for use by many threads.
 */
public final class Watchdog {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final PhaseTimeouts timeouts;
  private final Duration lease;
  private final RepairSlots repairs;

  /**
   * The watchdog.
   *
   * @param lease how long a claim lasts without being renewed
   * @param repairs for which hosts may have to wait
   */
  public Watchdog(Jdbi jdbi, PhaseTimeouts timeouts, Duration lease, RepairSlots repairs) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.timeouts = timeouts;
    this.lease = lease;
    this.repairs = repairs;
  }

  /** One look at everything. */
  public void look() {
    // Whose turn has come goes on within the time after which nobody is believed to lead.
    Terms terms = new Terms(lease, repairs.taken(Overdue.NOT_LED_MAX));
    List<ActivePhase> phases = jdbi.withHandle(handle -> PhaseRows.atWork(handle, terms));
    Map<ActivePhase, Overdue> overdue = judge(phases);
    if (!overdue.isEmpty()) {
      Map<String, Integer> waiting = jdbi.withHandle(BudgetRows::read);
      overdue.forEach(
          (phase, why) -> found(terms, phase, why, BudgetCost.of(waiting, phase.applications())));
    }
    end(overdue.keySet());
  }

  private Map<ActivePhase, Overdue> judge(List<ActivePhase> phases) {
    List<ActivePhase> old =
        phases.stream().filter(phase -> phase.took().compareTo(TypicalDuration.FLOOR) > 0).toList();
    Set<String> unclaimed =
        old.stream()
            .flatMap(phase -> phase.job().stream())
            .filter(work -> work.consumer().isEmpty())
            .map(Work::topic)
            .collect(Collectors.toSet());
    Map<Cohort, TypicalDuration> usual = jdbi.withHandle(handle -> PhaseRows.usual(handle, old));
    Set<String> silent = jdbi.withHandle(handle -> PhaseRows.silent(handle, unclaimed));
    Map<ActivePhase, Overdue> overdue = new HashMap<>();
    for (ActivePhase phase : phases) {
      Optional<Duration> stated = timeouts.of(phase.phase(), phase.applications());
      Overdue.judge(phase, new Known(stated, usual, silent, lease))
          .ifPresent(why -> overdue.put(phase, why));
    }
    return overdue;
  }

  /** Unless it went on since it was read. */
  private void found(Terms terms, ActivePhase phase, Overdue why, BudgetCost cost) {
    transactor.call(
        handle -> {
          if (GrantRow.lock(handle, phase.grant()).alive()
              && PhaseRows.still(handle, phase, terms).isPresent()) {
            OverdueRows.found(handle, phase, why, cost);
          }
          return true;
        });
  }

  private void end(Set<ActivePhase> overdue) {
    Set<List<String>> lasting =
        overdue.stream()
            .map(phase -> List.of(phase.grant(), phase.host(), phase.phase()))
            .collect(Collectors.toSet());
    List<OverdueRows.Open> rows = jdbi.withHandle(OverdueRows::open);
    for (OverdueRows.Open row : rows) {
      if (!lasting.contains(List.of(row.grant(), row.host(), row.phase()))) {
        transactor.call(handle -> over(handle, row));
      }
    }
  }

  private static boolean over(Handle handle, OverdueRows.Open row) {
    GrantRow.lock(handle, row.grant());
    OverdueRows.over(handle, row);
    return true;
  }
}
