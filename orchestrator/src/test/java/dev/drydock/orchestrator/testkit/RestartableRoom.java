package dev.drydock.orchestrator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutRequest;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.Orchestrator;
import dev.drydock.orchestrator.PolicyQueries;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.orchestrator.temporal.Workflows;
import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * A room that can be stopped and started over one database and one task queue of Temporal, and a
 * world around it.
 */
public final class RestartableRoom implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final ServerConfig.Preflight preflight;
  private ServerConfig config;
  private final AtomicInteger askedInVain = new AtomicInteger();
  private volatile boolean temporalBelieved;
  private final Path token = token("all");
  private final List<String> done = new ArrayList<>();
  private @Nullable Orchestrator orchestrator;
  private volatile int soakSeconds;
  private volatile List<InForce> failures = List.of();
  private volatile Map<String, Duration> phases = Map.of();
  private @Nullable TestApi api;
  private @Nullable DrydockClient client;
  private @Nullable SimulatedConsumers simulatedConsumers;

  /** Hosts are asked nothing before their grants. */
  public RestartableRoom() {
    this(Fleet.UNASKED);
  }

  public RestartableRoom(ServerConfig.Preflight preflight) {
    this.preflight = preflight;
    this.config = config();
  }

  /** The room, its API, a grantor and consumers. */
  public SimulatedConsumers start() {
    startWithoutWorld();
    return startWorld();
  }

  public void startWithoutWorld() {
    Orchestrator room =
        new Orchestrator(
            database.database(),
            config,
            new PolicyQueries(
                PolicyCoverage.WHOLE,
                this::planned,
                fleet.policies,
                fleet.zones,
                (table, hosts, applications) -> Map.of(),
                () -> failures,
                (phase, applications) -> Optional.ofNullable(phases.get(phase)),
                fleet.checks),
            new Metrics(),
            new Orchestrator.ExternalStores(new FakeTime(database.jdbi()), this::asTold));
    room.start(fleet.holds);
    orchestrator = room;
    api =
        TestApi.start(
            room.resources(fleet.holds::table),
            Map.of(
                "all", new Principal("all", "sre", Role.ADMIN, Set.of()),
                "ann", new Principal("ann", "web-team", Role.OWNER, Set.of()),
                "ben", new Principal("ben", "web-team", Role.OWNER, Set.of()),
                "eve", new Principal("eve", "ads-team", Role.OWNER, Set.of())));
    client = new DrydockClient(ClientConfig.of(api.address(), token).withCallTimeout(PATIENCE));
  }

  /** The same API as somebody else: ann and ben own web, eve owns nothing here. */
  public DrydockClient client(String name) {
    return new DrydockClient(
        ClientConfig.of(Objects.requireNonNull(api).address(), token(name))
            .withCallTimeout(PATIENCE));
  }

  /** Of hosts submitted from now on the first goes first, and is watched for that long. */
  public void canary(int seconds) {
    soakSeconds = seconds;
  }

  /** How many hosts may fail, from now on. */
  public void failures(List<InForce> inForce) {
    failures = List.copyOf(inForce);
  }

  /** How long phases may take before owners are told, from now on. */
  public void phases(Map<String, Duration> timeouts) {
    phases = Map.copyOf(timeouts);
  }

  private Planning.Planned planned(Collection<String> hosts, String release) {
    Planning.Planned alone = Planning.alone(hosts);
    if (soakSeconds == 0) {
      return alone;
    }
    String first = hosts.iterator().next();
    Set<String> others = new HashSet<>(hosts);
    others.remove(first);
    Gate gate = new Gate("web", 1, Set.of("web"), soakSeconds, List.of(first), others);
    return new Planning.Planned(
        alone.batches(), Map.of(), List.of(gate), alone.revision(), alone.outlook());
  }

  public SimulatedConsumers startWorld() {
    SimulatedConsumers started =
        new SimulatedConsumers(candidates(), fleet, client(), done).start();
    simulatedConsumers = started;
    return started;
  }

  public void stop() {
    if (simulatedConsumers != null) {
      simulatedConsumers.close();
      simulatedConsumers = null;
    }
    if (client != null && api != null && orchestrator != null) {
      client.close();
      api.close();
      orchestrator.close();
    }
    client = null;
  }

  @Override
  public void close() {
    stop();
    database.close();
  }

  public Jdbi jdbi() {
    return database.jdbi();
  }

  public Fleet fleet() {
    return fleet;
  }

  /** What its tables say. */
  public Rows rows() {
    return fleet.rows;
  }

  public SimulatedConsumers world() {
    return Objects.requireNonNull(simulatedConsumers);
  }

  public Candidates candidates() {
    return Objects.requireNonNull(orchestrator).candidates();
  }

  public DrydockClient client() {
    return Objects.requireNonNull(client);
  }

  /** New hosts in a new rollout. */
  public String submit(String... hosts) {
    for (String host : hosts) {
      fleet.host(host);
    }
    return submitAgain(hosts);
  }

  /** Hosts that are known already, in another rollout. */
  public String submitAgain(String... hosts) {
    return client()
        .startRollout(
            new RolloutRequest().setRelease("2").setHosts(new StringArray(Arrays.asList(hosts))));
  }

  /** Waits for the end of the rollout. */
  public Rollout ended(String rollout) {
    until(() -> client().rollout(rollout).hasEndedAt());
    return client().rollout(rollout);
  }

  public HostUpgrade host(String rollout, String host) {
    return client().hostUpgrades(rollout).stream()
        .filter(upgrade -> upgrade.getHost().equals(host))
        .findFirst()
        .orElseThrow();
  }

  /** The steps done on a host, in their order. */
  public List<String> done(String host) {
    synchronized (done) {
      return done.stream()
          .filter(job -> job.endsWith(" " + host))
          .map(job -> job.substring(0, job.indexOf(' ')))
          .toList();
    }
  }

  public List<LockRecord> locks(String... hosts) {
    return Arrays.stream(hosts)
        .map(fleet.holds.table().locks()::get)
        .filter(Objects::nonNull)
        .toList();
  }

  public String grantState(String grant) {
    return fleet.rows.batch(grant).state();
  }

  /** A planted fault: from now on everybody is told that all workflows run. */
  public void believeTemporal() {
    temporalBelieved = true;
  }

  /** How often somebody asked since then. */
  public int askedInVain() {
    return askedInVain.get();
  }

  private Workflows asTold(Workflows real) {
    return new Workflows() {
      @Override
      public void startBatch(String grant) {
        real.startBatch(grant);
      }

      @Override
      public void startRollout(String rollout) {
        real.startRollout(rollout);
      }

      @Override
      public Optional<String> gone(String workflowId) {
        if (temporalBelieved) {
          askedInVain.incrementAndGet();
          return Optional.empty();
        }
        return real.gone(workflowId);
      }

      @Override
      public boolean wake(String workflowId, String cause) {
        return real.wake(workflowId, cause);
      }
    };
  }

  /** Nothing that Temporal knew is left when the room comes back. */
  public SimulatedConsumers loseTemporal() {
    stop();
    config = config();
    return start();
  }

  /** Temporal forgets what it was doing, as after a restore. */
  public void terminate(String workflow) {
    WorkflowServiceStubs stubs =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder().setTarget(config.temporal().target()).build());
    try {
      WorkflowClient.newInstance(
              stubs,
              WorkflowClientOptions.newBuilder()
                  .setNamespace(config.temporal().namespace())
                  .build())
          .newUntypedWorkflowStub(config.temporal().taskQueue() + "/" + workflow)
          .terminate("lost");
    } finally {
      stubs.shutdownNow();
    }
  }

  /** Waits for a condition; fails when patience ends. */
  public void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as(() -> "nothing more to wait for; done so far: " + done)
          .isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private ServerConfig config() {
    return config(Optional.empty(), preflight);
  }

  /** Of servers that ask hosts nothing before their grants. */
  public static ServerConfig config(Optional<Duration> recoveryWait) {
    return config(recoveryWait, Fleet.UNASKED);
  }

  /** A task queue of its own; a namespace of its own would be ready after some seconds only. */
  private static ServerConfig config(
      Optional<Duration> recoveryWait, ServerConfig.Preflight preflight) {
    return new ServerConfig(
        new ServerConfig.Http("127.0.0.1", 0, 1 << 20),
        new PostgresConfig("", "", ""),
        new ServerConfig.Etcd(List.of(URI.create("http://127.0.0.1:1")), 128, "/drydock/"),
        new ServerConfig.Temporal(
            "127.0.0.1:" + Stack.port("temporal"), "test", "drydock-" + UUID.randomUUID()),
        Path.of("/dev/null"),
        Duration.ofSeconds(30),
        Duration.ofSeconds(15),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        ServerConfig.Events.DEFAULT,
        ServerConfig.FleetLock.DEFAULT,
        ServerConfig.Passing.DEFAULT,
        ServerConfig.Remediation.DEFAULT,
        preflight,
        Optional.empty(),
        recoveryWait);
  }

  /** A file with the token of a name of the test's API. */
  public static Path token(String name) {
    try {
      Path file = Files.createTempFile("token", "");
      Files.writeString(file, TestApi.token(name));
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException unwritable) {
      throw new UncheckedIOException("no room for a token file", unwritable);
    }
  }
}
