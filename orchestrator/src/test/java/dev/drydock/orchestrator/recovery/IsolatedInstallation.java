package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.JobStep;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutRequest;
import dev.drydock.auditor.Auditor;
import dev.drydock.auditor.core.Finding;
import dev.drydock.lock.api.history.LockHistory;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.orchestrator.Orchestrator;
import dev.drydock.orchestrator.PolicyQueries;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.orchestrator.testkit.FakeTime;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
import dev.drydock.orchestrator.testkit.Stack;
import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.Database;
import dev.drydock.platform.testkit.TemplateDatabase;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * A room with a grantor, on a PostgreSQL database, an etcd and a Temporal namespace of its own, of
 * which the first two can be put back to how they were. The first host of a rollout is its canary.
 */
final class IsolatedInstallation implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(150);

  final TestEtcd etcd = TestEtcd.start("--max-txn-ops=4096");
  private final PostgresConfig server =
      new PostgresConfig(
          "jdbc:postgresql://127.0.0.1:" + Stack.port("postgres") + "/",
          "postgres",
          Stack.postgresPassword());
  private final String name = "island_" + UUID.randomUUID().toString().replace("-", "");
  private final ServerConfig config = RestartableRoom.config(Optional.of(Duration.ofSeconds(1)));
  private final String root = "/" + name + "/";
  private final List<String> done = new ArrayList<>();
  private final boolean beatsIgnored;
  private @Nullable Database database;
  private @Nullable Fleet fleet;
  private @Nullable Orchestrator room;
  private @Nullable EtcdLocks locks;
  private @Nullable AutoCloseable history;
  private @Nullable TestApi api;
  private @Nullable DrydockClient client;
  private @Nullable SimulatedConsumers simulatedConsumers;

  /**
   * Nothing runs yet.
   *
   * @param beatsIgnored the control: nobody compares the stores
   */
  IsolatedInstallation(boolean beatsIgnored) {
    this.beatsIgnored = beatsIgnored;
    TemplateDatabase.copy(server, name);
  }

  /** Consumers tell of a host what they did there. */
  SimulatedConsumers start() {
    Database opened = Database.open(TemplateDatabase.database(server, name));
    database = opened;
    Fleet rows = new Fleet(opened.jdbi());
    fleet = rows;
    EtcdLocks held =
        EtcdLocks.open(
            new EtcdConfig(
                List.of(etcd.endpoint()),
                root,
                4096,
                // A busy machine keeps a program off the processor for seconds.
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30)),
            rows::mark,
            InstantSource.system(),
            new Metrics());
    locks = held;
    StoreTime time =
        beatsIgnored ? believed(held.time(), new FakeTime(opened.jdbi())) : held.time();
    Orchestrator started =
        new Orchestrator(
            opened,
            config,
            new PolicyQueries(
                PolicyCoverage.WHOLE,
                IsolatedInstallation::planned,
                rows.policies,
                rows.zones,
                (table, hosts, applications) -> Map.of(),
                List::of,
                (phase, applications) -> Optional.empty(),
                HealthChecks.NONE),
            new Metrics(),
            new Orchestrator.ExternalStores(time));
    room = started;
    started.watchStores();
    held.startGrantor(Admission.exclusiveOnly(), started.candidates());
    started.start(held.holds());
    history = new LockHistory(held.log(), opened.jdbi()).start(held::leads);
    TestApi served =
        TestApi.start(
            started.resources(held.holds()::table),
            Map.of("all", new Principal("all", "sre", Role.ADMIN, Set.of())));
    api = served;
    DrydockClient called =
        new DrydockClient(
            ClientConfig.of(served.address(), RestartableRoom.token("all"))
                .withCallTimeout(PATIENCE));
    client = called;
    SimulatedConsumers consumers = new SimulatedConsumers(started.candidates(), rows, called, done);
    consumers.failing(JobStep.Verify, host -> !done(host).contains("Update"));
    simulatedConsumers = consumers;
    return consumers.startConsumers();
  }

  /** Whatever etcd says, it is of the time of the rows. */
  private static StoreTime believed(StoreTime real, StoreTime fake) {
    return new StoreTime() {
      @Override
      public Now now() {
        real.now();
        return fake.now();
      }

      @Override
      public void forget() {
        real.forget();
      }

      @Override
      public List<Committed> committed() {
        return real.committed();
      }

      @Override
      public void begin(long epoch, long beat) {
        real.begin(epoch, beat);
      }
    };
  }

  private static Planning.Planned planned(Collection<String> hosts, String release) {
    Planning.Planned alone = Planning.alone(hosts);
    String first = hosts.iterator().next();
    Set<String> others = new HashSet<>(hosts);
    others.remove(first);
    Gate gate = new Gate("web", 1, Set.of("web"), 1, List.of(first), others);
    return new Planning.Planned(
        alone.batches(), Map.of(), List.of(gate), alone.revision(), alone.outlook());
  }

  /** The program ends; its stores go on. */
  void stop() {
    close(simulatedConsumers);
    close(client);
    close(api);
    close(room);
    close(history);
    close(locks);
    close(database);
    simulatedConsumers = null;
    client = null;
    api = null;
    room = null;
    history = null;
    locks = null;
    database = null;
  }

  private static void close(@Nullable AutoCloseable one) {
    try {
      if (one != null) {
        one.close();
      }
    } catch (Exception failed) {
      throw new IllegalStateException("it does not close", failed);
    }
  }

  /** While the program is stopped: a copy of its database, that nobody is connected to. */
  String copyRows() {
    String copy = name + "_copy";
    // Its connections are closed here, and a moment later there; nobody else has any.
    until("nobody is connected any more", () -> connected() == 0);
    execute("CREATE DATABASE " + copy + " TEMPLATE " + name);
    return copy;
  }

  /**
   * While the program is stopped: its database is what it was.
   *
   * @param generation of etcd, as if the copy had been made after its last change: on a busy
   *     machine it changes with each beat of which nobody knows what became, and hosts are left to
   *     people
   */
  void putRowsBack(String copy, long generation) {
    TemplateDatabase.drop(server, name);
    execute("ALTER DATABASE " + copy + " RENAME TO " + name);
    PostgresConfig at = TemplateDatabase.database(server, name);
    Jdbi.create(at.url(), at.user(), at.password())
        .useHandle(handle -> handle.execute("UPDATE store_beats SET generation = ?", generation));
  }

  private long connected() {
    PostgresConfig at = TemplateDatabase.database(server, "postgres");
    return Jdbi.create(at.url(), at.user(), at.password())
        .withHandle(
            handle ->
                handle
                    .createQuery("SELECT count(*) FROM pg_stat_activity WHERE datname = :name")
                    .bind("name", name)
                    .mapTo(Long.class)
                    .one());
  }

  private void execute(String statement) {
    PostgresConfig at = TemplateDatabase.database(server, "postgres");
    Jdbi.create(at.url(), at.user(), at.password()).useHandle(handle -> handle.execute(statement));
  }

  String submit(String... hosts) {
    for (String host : hosts) {
      fleet().host(host);
    }
    return client()
        .startRollout(
            new RolloutRequest().setRelease("2").setHosts(new StringArray(Arrays.asList(hosts))));
  }

  /** Somebody else wants the host, and waits for it. */
  void queue(String ticket, String host) {
    locks()
        .desk()
        .submit(
            new Ticket(
                ticket,
                Ticket.Mode.WAIT,
                List.of(host),
                List.of(),
                "kernel-team",
                "firmware",
                Instant.now().plusSeconds(3600),
                3600,
                0),
            Duration.ofSeconds(3600));
  }

  Fleet fleet() {
    return Objects.requireNonNull(fleet);
  }

  DrydockClient client() {
    return Objects.requireNonNull(client);
  }

  EtcdLocks locks() {
    return Objects.requireNonNull(locks);
  }

  SimulatedConsumers world() {
    return Objects.requireNonNull(simulatedConsumers);
  }

  HostUpgrade host(String rollout, String host) {
    return client().hostUpgrades(rollout).stream()
        .filter(upgrade -> upgrade.getHost().equals(host))
        .findFirst()
        .orElseThrow();
  }

  Rollout ended(String rollout) {
    until("the rollout ends", () -> client().rollout(rollout).hasEndedAt());
    return client().rollout(rollout);
  }

  /** What an audit of the rollout finds by now. */
  List<Finding> audit(String rollout) {
    return new Auditor(
            Objects.requireNonNull(database).jdbi(), Duration.ofMinutes(30), Duration.ofSeconds(30))
        .audit(rollout)
        .orElseThrow()
        .findings();
  }

  /** The steps done on a host, in their order, whatever was restored since. */
  List<String> done(String host) {
    synchronized (done) {
      return done.stream()
          .filter(job -> job.endsWith(" " + host))
          .map(job -> job.substring(0, job.indexOf(' ')))
          .toList();
    }
  }

  long updates(String host) {
    return done(host).stream().filter("Update"::equals).count();
  }

  void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(() -> what + "; done so far: " + done).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  @Override
  public void close() {
    stop();
    etcd.close();
    TemplateDatabase.drop(server, name);
  }
}
