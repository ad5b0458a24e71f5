package dev.drydock.orchestrator.packages;

import dev.drydock.api.PackageReading;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.Optional;

/**
 * What a reading of a host says. Pure.
 *
 * <p>Property: a reading that overlaps an effect of ours, or a lock of anybody, is never taken for
 * a foreign update. Its stamp was told before it began, and is another one as soon as a lock on the
 * host has ended. So where the stamp is still right and nobody has the host, nobody had it since
 * the reading before.
 */
sealed interface PackageReadingDecision {
  /** Something came between: it says nothing. */
  record Stale() implements PackageReadingDecision {}

  /** The packages could not be read. */
  record Unreadable(String fault) implements PackageReadingDecision {}

  /** The first reading since something was done to the host. */
  record Baseline() implements PackageReadingDecision {}

  /** Nothing changed. */
  record Equal() implements PackageReadingDecision {}

  /** Somebody else changed the packages after that moment. */
  record Foreign(Instant after) implements PackageReadingDecision {}

  /** Whether a reading may be compared with what is known. */
  @FunctionalInterface
  interface Guard {
    /** Nobody has the host, and had it since it was offered. */
    Guard STAMP =
        (hostPackageState, reading, table) ->
            hostPackageState.free(table)
                && hostPackageState.stamp(table).equals(reading.getStamp());

    boolean passes(HostPackageState hostPackageState, PackageReading reading, LockTable table);
  }

  static PackageReadingDecision of(
      HostPackageState hostPackageState, PackageReading reading, LockTable table, Guard guard) {
    if (!guard.passes(hostPackageState, reading, table)) {
      return new Stale();
    }
    if (reading.getDigest().isEmpty()) {
      return new Unreadable(reading.getFault());
    }
    if (!hostPackageState.mark().equals(Optional.of(hostPackageState.mark(table)))) {
      return new Baseline();
    }
    return hostPackageState.digest().equals(Optional.of(reading.getDigest()))
        ? new Equal()
        : new Foreign(
            hostPackageState
                .equalAt()
                .filter(hostPackageState.now()::isAfter)
                .orElse(hostPackageState.now()));
  }
}
