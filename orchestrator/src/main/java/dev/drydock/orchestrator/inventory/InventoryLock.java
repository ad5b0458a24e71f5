package dev.drydock.orchestrator.inventory;

import org.jdbi.v3.core.Handle;

/**
 * Lets one transaction at a time write hosts and instances, so that ownership is checked and
 * changed as one.
 */
public final class InventoryLock {
  private static final long KEY = 0x6472_7964_6f63_6b01L;

  private InventoryLock() {}

  /** Waits for the lock, which ends with the transaction of the handle. */
  public static void take(Handle handle) {
    handle.execute("SELECT pg_advisory_xact_lock(?)", KEY);
  }
}
