package dev.drydock.impact.service;

import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetRound;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.service.controllers.ControllerDesk;
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
  private final PolicyReader policies;
  private final ControllerDesk controllers;

  FleetAdmission(Jdbi jdbi, FleetReader fleets, PolicyReader policies, ControllerDesk controllers) {
    this.jdbi = jdbi;
    this.controllers = controllers;
    this.fleets = fleets;
    this.policies = policies;
  }

  @Override
  public Round begin(LockTable table) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          Policies inForce = policies.read(handle);
          Fleet fleet = fleets.read(handle, table, inForce);
          return new FleetRound(
              fleet,
              inForce,
              FleetReader.notRestarted(handle, table),
              controllers.begin(fleet.outside().asks()));
        });
  }
}
