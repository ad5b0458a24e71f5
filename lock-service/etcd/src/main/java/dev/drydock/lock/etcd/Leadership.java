package dev.drydock.lock.etcd;

/**
 * Being the grantor, from the election until the lease may have run out. What is sent too late all
 * the same is refused by the compare of {@link #fence}.
 *
 * @param lease lives as long as the leadership
 * @param fence what every transaction of this grantor compares the leadership key's create revision
 *     with
 */
record Leadership(RenewedLease lease, long fence) implements AutoCloseable {

  /** Whether the lease certainly still runs. */
  boolean valid() {
    return lease.valid();
  }

  /** Stops renewing without giving up: what a paused process does. For tests. */
  void pauseRenewal() {
    lease.pauseRenewal();
  }

  /** Gives up the leadership, so that nobody has to wait for the lease. */
  @Override
  public void close() {
    lease.close();
  }
}
