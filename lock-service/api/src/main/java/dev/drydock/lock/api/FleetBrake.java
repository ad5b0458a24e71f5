package dev.drydock.lock.api;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.etcd.EtcdBrake;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.proto.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/**
 * Who may stop all grants, and start them again. Every change is written to the audit before it is
 * made.
 */
final class FleetBrake {
  private static final String OBJECT = "freeze";

  private final EtcdBrake brake;
  private final LockAudit audit;
  private final InstantSource clock;

  FleetBrake(EtcdBrake brake, LockAudit audit, InstantSource clock) {
    this.brake = brake;
    this.audit = audit;
    this.clock = clock;
  }

  Optional<Brake> read() {
    return brake.read();
  }

  /**
   * No grant is committed after this returned. The same again by the same principal changes
   * nothing; a fleet somebody else froze stays frozen by them, and the caller is told.
   */
  void freeze(Principal principal, String reason) {
    says(reason);
    // Milliseconds: what is read back equals what was written.
    Brake wanted =
        new Brake(principal.name(), reason, clock.instant().truncatedTo(ChronoUnit.MILLIS));
    Optional<Brake> before = brake.read();
    if (before.isEmpty()) {
      audit.record(principal, "fleet.freeze", OBJECT, Json.writeTree(Map.of("reason", reason)));
    }
    Brake inForce = before.orElseGet(() -> brake.pull(wanted));
    if (!inForce.by().equals(wanted.by()) || !inForce.reason().equals(wanted.reason())) {
      throw ApiException.conflict(
          "ALREADY_FROZEN",
          inForce.text() + " since " + inForce.since() + ": it stays frozen until that is lifted");
    }
  }

  /**
   * Lets grants go on; a fleet that is not frozen stays so.
   *
   * @param since of the brake that is meant; empty for whichever is in force
   * @throws ApiException when another one is in force, with what it is
   */
  void unfreeze(Principal principal, String reason, Optional<Instant> since) {
    says(reason);
    Optional<Brake> pulled = brake.read();
    if (pulled.isEmpty()) {
      return;
    }
    if (since.isPresent() && !since.get().equals(pulled.get().since())) {
      throw another(pulled.get());
    }
    audit.record(
        principal,
        "fleet.unfreeze",
        OBJECT,
        Json.writeTree(
            Map.of(
                "reason",
                reason,
                "frozenBy",
                pulled.get().by(),
                "frozenFor",
                pulled.get().reason())));
    Optional<Brake> instead = brake.lift(pulled.get(), principal.name(), reason);
    if (instead.isPresent()) {
      throw another(instead.get());
    }
  }

  private static ApiException another(Brake inForce) {
    return ApiException.conflict(
        "ANOTHER_FREEZE",
        inForce.text()
            + " since "
            + inForce.since()
            + ", which is not the freeze that was to be lifted: look again");
  }

  private static void says(String reason) {
    ReasonText.require(reason, "INVALID_FREEZE", "The fleet brake");
  }
}
