package dev.drydock.platform.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Everything the server is told, read from one YAML file. Immutable.
 *
 * @param staleness how old a verdict may be when the first undeploy is claimed
 * @param jobLease how long a claim lasts without a heartbeat
 * @param jobMargin how long after its lease a job is given to nobody
 * @param grantorLease how long a dead grantor keeps others from being elected
 * @param events how much of the event feed is kept
 * @param fleetLock how patient the server is with FleetLock clients
 * @param passing how far later requests for hosts may go before earlier ones
 * @param remediation how much is repaired at once, and when nothing more is tried
 * @param preflight what hosts are asked before they are granted
 * @param prometheus the root of the Prometheus that is asked about gates of policies
 * @param recoveryWait how long nothing is granted after a store was found to be restored; the
 *     longest lease there may be, with a margin, where nothing is said
 */
public record ServerConfig(
    Http http,
    PostgresConfig postgres,
    Etcd etcd,
    Temporal temporal,
    Path tokensFile,
    Duration staleness,
    Duration jobLease,
    Duration jobMargin,
    Duration grantorLease,
    Events events,
    FleetLock fleetLock,
    Passing passing,
    Remediation remediation,
    Preflight preflight,
    Optional<URI> prometheus,
    Optional<Duration> recoveryWait) {

  /** Where the API listens; port 0 takes any free one. */
  public record Http(String host, int port, int maxBodyBytes) {}

  /**
   * Where etcd is.
   *
   * @param maxTxnOps what its members were started with as {@code --max-txn-ops}
   * @param root prefix of all keys
   */
  public record Etcd(List<URI> endpoints, int maxTxnOps, String root) {
    public Etcd {
      endpoints = List.copyOf(endpoints);
    }
  }

  /**
   * How much of the event feed is kept.
   *
   * @param kept how long at least
   * @param newestKept how many at least, however old
   */
  public record Events(Duration kept, int newestKept) {
    public static final Events DEFAULT = new Events(Duration.ofDays(7), 10_000);
  }

  /**
   * How patient the server is with FleetLock clients.
   *
   * @param poll without another poll for so long a waiting client loses its place; longer than its
   *     clients take between two
   * @param maximum after this long a hold is verified: released if its host was started anew and is
   *     well, else quarantined
   */
  public record FleetLock(Duration poll, Duration maximum) {
    /** Zincati polls every five minutes. */
    public static final FleetLock DEFAULT =
        new FleetLock(Duration.ofMinutes(6), Duration.ofHours(1));
  }

  /**
   * How far later requests for hosts may go before earlier ones (ADR 12). The same for all servers.
   *
   * @param longest how long any request may be passed, in all; zero keeps the order strict
   * @param margin how much later than by its maximum a lock may be gone
   */
  public record Passing(Duration longest, Duration margin) {
    /** The margin is for a term that begins late and for a lease that ends late. */
    public static final Passing DEFAULT =
        new Passing(Duration.ofMinutes(30), Duration.ofSeconds(15));
  }

  /**
   * Keeps repairs from becoming a storm of their own.
   *
   * @param atOnce on how many hosts of the fleet something is done at once to mend them; the others
   *     wait
   * @param alike after so many hosts of one hardware class in one rollout on which nothing helped,
   *     and as many more for each that was helped, all found to have the same, no further one is
   *     tried
   * @param coolDown a host that was helped fails again within it, in another batch: people look
   */
  public record Remediation(int atOnce, int alike, Duration coolDown) {
    public static final Remediation DEFAULT = new Remediation(10, 3, Duration.ofHours(1));
  }

  /**
   * Hosts are asked whether they could be updated before they are granted (ADR 44). The same for
   * all servers.
   *
   * @param openMax how many are asked at once, waiting for a consumer or not, of each topic; 0
   *     turns preflights off: hosts are granted without
   * @param aheadMax how many hosts of a topic that still wait are asked within five minutes
   * @param valid for how long a host that passed may be granted
   * @param alike after so many hosts in a row that only people can mend, for the same cause, a
   *     rollout pauses itself; 0: never
   */
  public record Preflight(int openMax, int aheadMax, Duration valid, int alike) {
    public static final Preflight DEFAULT = new Preflight(50, 200, Duration.ofMinutes(30), 3);

    /** Whether hosts are asked at all. */
    public boolean on() {
      return openMax > 0;
    }
  }

  /** Where Temporal is, HOST:PORT, and what of it is ours. */
  public record Temporal(String target, String namespace, String taskQueue) {}
}
