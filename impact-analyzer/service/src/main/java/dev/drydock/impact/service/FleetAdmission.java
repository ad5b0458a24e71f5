package dev.drydock.impact.service;

import dev.drydock.impact.core.FleetRound;
import dev.drydock.impact.service.controllers.ControllerDispatcher;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockTable;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Admits by the policies of the teams. A round reads fleet and policies once, in one view of the
 * database; judging is pure.
 */
final class FleetAdmission implements Admission {
  private final Jdbi jdbi;
  private final FleetReader fleets;
  private final ControllerDispatcher controllers;

  FleetAdmission(Jdbi jdbi, FleetReader fleets, ControllerDispatcher controllers) {
    this.jdbi = jdbi;
    this.fleets = fleets;
    this.controllers = controllers;
  }

  @Override
  public Round begin(LockTable table) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          FleetReader.View view = fleets.read(handle, table);
          return new FleetRound(
              view.fleet(),
              view.policies(),
              FleetReader.notRestarted(handle, table),
              controllers.begin(view.fleet().outside().asks()));
        });
  }
}
