package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.platform.config.ServerConfig;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * Where etcd is, how long to wait for it, and by which bounds is granted there.
 *
 * @param root prefix of all keys, ending in a slash
 * @param maxTxnOps the members' {@code --max-txn-ops}
 * @param grantorLease how long a dead grantor keeps others from being elected
 * @param callTimeout deadline of one call
 * @param budget how long an idempotent operation is repeated before it fails
 * @param backfill how far a later request may go before an earlier one; the same for all processes
 */
public record EtcdConfig(
    List<URI> endpoints,
    String root,
    int maxTxnOps,
    Duration grantorLease,
    Duration callTimeout,
    Duration budget,
    Backfill backfill) {

  /** etcd takes 1.5 MiB of a request unless told otherwise; the rest is for what goes around it. */
  static final int REQUEST_BYTES_MAX = 1_500_000;

  public EtcdConfig {
    endpoints = List.copyOf(endpoints);
    if (!root.endsWith("/")) {
      root = root + "/";
    }
  }

  /** With the usual bounds of backfill. */
  public EtcdConfig(
      List<URI> endpoints,
      String root,
      int maxTxnOps,
      Duration grantorLease,
      Duration callTimeout,
      Duration budget) {
    this(endpoints, root, maxTxnOps, grantorLease, callTimeout, budget, Backfill.DEFAULT);
  }

  /** The configuration of the server. */
  public static EtcdConfig of(ServerConfig config) {
    return new EtcdConfig(
        config.etcd().endpoints(),
        config.etcd().root(),
        config.etcd().maxTxnOps(),
        config.grantorLease(),
        Duration.ofSeconds(2),
        Duration.ofSeconds(15),
        new Backfill(config.passing().longest(), config.passing().margin()));
  }

  /** The most of one group of transactions, well below what a request may have. */
  record GroupLimits(int weight, int bytes) {}

  GroupLimits groupLimits() {
    return new GroupLimits(maxTxnOps - 16, 1_000_000);
  }

  /**
   * Hosts one grant can take: each costs two operations at its end, and each record names all of
   * them, which etcd's limit on the size of a request (1.5 MB) bounds as well.
   */
  int hostsPerGrant() {
    return Math.clamp((maxTxnOps - 16) / 2, 1, GrantorPass.Limits.HOSTS_PER_GRANT_MAX);
  }
}
