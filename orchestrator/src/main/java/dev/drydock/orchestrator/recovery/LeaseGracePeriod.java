package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.Ticket;
import dev.drydock.orchestrator.recovery.StoreAgreement.Store;
import dev.drydock.platform.config.ServerConfig;
import java.time.Duration;

/** For how long somebody may believe in what a store that was restored had given out. */
public final class LeaseGracePeriod {
  private final ServerConfig config;

  public LeaseGracePeriod(ServerConfig config) {
    this.config = config;
  }

  /** The longest lease with its margin. Locks of programs are known where etcd is not behind. */
  Duration longest(Store behind) {
    Duration lock =
        behind == Store.ETCD ? Duration.ofSeconds(Ticket.LEASE_SECONDS_MAX) : Duration.ZERO;
    Duration lease = config.jobLease().compareTo(lock) > 0 ? config.jobLease() : lock;
    return config.recoveryWait().orElse(lease.plus(config.jobMargin()));
  }
}
