package dev.drydock.orchestrator;

import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.Locks;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.orchestrator.activity.BatchActivitiesImpl;
import dev.drydock.orchestrator.activity.BrokenBatch;
import dev.drydock.orchestrator.activity.RolloutActivitiesImpl;
import dev.drydock.orchestrator.api.DecisionsResource;
import dev.drydock.orchestrator.api.HostResources;
import dev.drydock.orchestrator.api.JobsResource;
import dev.drydock.orchestrator.api.RecoveryResource;
import dev.drydock.orchestrator.api.RolloutsResource;
import dev.drydock.orchestrator.batch.BatchDriver;
import dev.drydock.orchestrator.batch.BatchMover;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.decision.Decisions;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.preflight.PreflightWork;
import dev.drydock.orchestrator.recovery.LeaseGracePeriod;
import dev.drydock.orchestrator.recovery.RecoveryDriver;
import dev.drydock.orchestrator.recovery.RecoveryProgress;
import dev.drydock.orchestrator.recovery.StoreWatch;
import dev.drydock.orchestrator.remediation.RepairSlots;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.CanaryGates;
import dev.drydock.orchestrator.store.CandidateStore;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.temporal.Workflows;
import dev.drydock.orchestrator.watchdog.Watchdog;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.rounds.DutyLoop;
import dev.drydock.platform.store.Database;
import dev.drydock.proto.clock.BootClock;
import dev.drydock.proto.crash.CrashPoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The orchestrator room. {@link #candidates} is there at once, for the grantor; work begins with
 * {@link #start}, as soon as Temporal can be reached. Until then everything is only written down.
 * Safe for use by many threads.
 */
public final class Orchestrator implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Orchestrator.class);
  private static final Principal AUDITOR =
      new Principal("auditor", "drydock", Role.ADMIN, Set.of());
  private static final Duration SWEEP = Duration.ofSeconds(5);
  // Reads every hold: what it finds was lost, and not a moment ago.
  private static final Duration ORPHANS = Duration.ofSeconds(15);
  private static final Duration WATCH = Duration.ofSeconds(15);
  private static final Duration BEAT = Duration.ofSeconds(1);
  private static final Duration CONNECT_RETRY = Duration.ofSeconds(1);

  private final Database database;
  private final PolicyQueries policyQueries;
  private final Metrics metrics;
  private final TemporalRuntime temporal;
  private final LeaseGracePeriod leaseGracePeriod;
  private final StoreTime etcd;
  private final StoreWatch stores;
  private final JobBoard board;
  private final SnapshotReader reader;
  private final BatchMover mover;
  private final CandidateStore candidates;
  private final PreflightWork preflights;
  private final RolloutStore rollouts;
  private final ReportStore reports;
  private final RolloutIntake intake;
  private final RolloutsResource.Controls controls;
  private final OrchestratorMetrics gauges;
  private final DutyLoop dutyLoop = new DutyLoop("orchestrator");
  // Of its own: etcd and others may leave calls unanswered, claims must expire meanwhile, and no
  // look at the board be so late that it passes for an absence.
  private final DutyLoop boardRounds = new DutyLoop("orchestrator-board");
  // Of its own: a call to Temporal may hang until its time-out.
  private final DutyLoop temporalRounds = new DutyLoop("orchestrator-temporal");
  // Of its own: a look reads much.
  private final DutyLoop watchRounds = new DutyLoop("orchestrator-watchdog");
  private final Watchdog watchdog;
  // Of its own: it has to go on while others wait for what is closed.
  private final DutyLoop recoveryRounds = new DutyLoop("orchestrator-recovery");
  private volatile @Nullable Sweeper sweeper;

  /**
   * What is beside PostgreSQL.
   *
   * @param etcd how far it is
   * @param told Temporal as it seems to be; for tests that plant a fault there
   */
  public record ExternalStores(StoreTime etcd, UnaryOperator<Workflows> told) {
    public ExternalStores(StoreTime etcd) {
      this(etcd, UnaryOperator.identity());
    }
  }

  /** The room over one database and one Temporal namespace; does nothing yet. */
  public Orchestrator(
      Database database,
      ServerConfig config,
      PolicyQueries policyQueries,
      Metrics metrics,
      ExternalStores externalStores) {
    this.database = database;
    this.policyQueries = policyQueries;
    this.metrics = metrics;
    this.temporal =
        new TemporalRuntime(database, config.temporal(), metrics, externalStores.told());
    this.leaseGracePeriod = new LeaseGracePeriod(config);
    this.etcd = externalStores.etcd();
    this.stores = new StoreWatch(database.jdbi(), etcd, metrics);
    this.reader = new SnapshotReader(limits(config.remediation()));
    this.mover = new BatchMover(policyQueries.batchPolicies(), reader, policyQueries.zones());
    BoardTimes times = BoardTimes.of(config.jobLease(), config.jobMargin(), config.staleness());
    this.preflights =
        new PreflightWork(database.jdbi(), config.preflight(), times, policyQueries.checks());
    this.board =
        new JobBoard(
            database.jdbi(),
            times,
            new JobBoard.ExternalStores(stores, mover, List.of(preflights.jobs())),
            policyQueries.checks());
    this.candidates =
        new CandidateStore(
            database.jdbi(),
            policyQueries.zones(),
            this::batchGranted,
            new CandidateStore.ExternalStores(stores, mover, config.preflight().on()));
    this.rollouts = new RolloutStore(database.jdbi());
    this.reports = new ReportStore(database.jdbi());
    this.intake =
        new RolloutIntake(
            database.jdbi(),
            policyQueries.policies(),
            policyQueries.planning(),
            this::rolloutCreated);
    this.controls =
        RolloutsResource.Controls.of(database.jdbi(), intake, policyQueries.zones(), mover);
    this.watchdog =
        new Watchdog(
            database.jdbi(),
            policyQueries.phases(),
            config.jobLease(),
            new RepairSlots(database.jdbi(), config.remediation().atOnce()));
    this.gauges = new OrchestratorMetrics(rollouts, board, metrics);
  }

  private static RepairLimits limits(ServerConfig.Remediation said) {
    return new RepairLimits(said.atOnce(), said.alike(), said.coolDown());
  }

  /**
   * Compares both stores now and each second from now on, in every process, before it offers
   * anything.
   *
   * @throws RuntimeException when one of them does not answer
   */
  public void watchStores() {
    stores.agree();
    recoveryRounds.every(BEAT, "compare the stores", stores::agree);
  }

  /** The rollouts' side of granting, for the grantor. */
  public Candidates candidates() {
    return candidates;
  }

  /** Whom break-glass tells before it takes a host away from a batch. */
  public HoldOwner holdOwner() {
    return new BrokenBatch(database.jdbi());
  }

  private Decisions decisions() {
    return new Decisions(database.jdbi(), mover, policyQueries.batchPolicies(), reader);
  }

  /**
   * The resources rollouts, hostUpgrades, hostDecisions, decisions, jobs, hostOperations,
   * packageReadings and recovery.
   *
   * @param locks what is locked
   */
  public Resources resources(Locks locks) {
    return Resources.join(
        List.of(
            Resources.of(
                    RolloutsResource.class,
                    () -> new RolloutsResource(intake, rollouts, reports, controls))
                .and(JobsResource.class, () -> new JobsResource(board, metrics))
                .and(
                    RecoveryResource.class,
                    () ->
                        new RecoveryResource(
                            new RecoveryProgress(database.jdbi(), leaseGracePeriod))),
            HostResources.of(database.jdbi(), rollouts, locks),
            Resources.of(DecisionsResource.class, () -> new DecisionsResource(decisions()))));
  }

  /**
   * Begins to work: sweeps at once and every few seconds, runs workflows from when Temporal
   * answers.
   */
  public void start(Holds holds) {
    BatchDriver driver = new BatchDriver(database.jdbi(), holds, mover);
    RecoveryDriver recoveryDriver =
        new RecoveryDriver(
            new RecoveryDriver.Stores(database.jdbi(), holds, etcd),
            new RecoveryDriver.Batches(reader, policyQueries.batchPolicies(), driver::drive),
            leaseGracePeriod,
            BootClock.system());
    Sweeper sweeper =
        new Sweeper(
            database.jdbi(),
            candidates,
            holds,
            temporal.workflows(),
            temporal::connected,
            recoveryDriver::mode);
    this.sweeper = sweeper;
    CanaryGates canaries = new CanaryGates(database.jdbi());
    CanaryGates.Watch watch =
        (hosts, applications) -> policyQueries.health().notUp(holds.table(), hosts, applications);
    boardRounds.nowAndEvery(SWEEP, "expire claims", board::expire);
    watchRounds.every(WATCH, "look for overdue phases", watchdog::look);
    temporalRounds.nowAndEvery(CONNECT_RETRY, "connect to Temporal", () -> connect(holds));
    temporalRounds.nowAndEvery(SWEEP, "start missing workflows", sweeper::sweepWorkflows);
    recoveryRounds.nowAndEvery(BEAT, "recover", recoveryDriver::step);
    OrphanHolds orphans = new OrphanHolds(database.jdbi(), holds, metrics, stores::agree);
    dutyLoop.every(ORPHANS, "compare holds with grants", () -> compare(recoveryDriver, orphans));
    dutyLoop.nowAndEvery(SWEEP, "sweep", sweeper::sweep);
    dutyLoop.nowAndEvery(SWEEP, "look at canaries", () -> canaries.advance(watch));
    dutyLoop.nowAndEvery(SWEEP, "measure", gauges::measure);
    preflights.start(holds::table);
  }

  /** The auditor found that it should not go on; one that cannot be paused any more stays. */
  public void pause(String rollout, String reason) {
    try {
      controls.states().command(AUDITOR, rollout, RolloutCommand.PAUSE, reason);
    } catch (ApiException ended) {
      log.warn("rollout {} was not paused: {}", rollout, ended.message());
    }
  }

  /** Why workflows do not run in this process, or may not; empty when they do. */
  public List<String> workflowsMissing() {
    if (!connected()) {
      return List.of("workflows do not run yet");
    }
    Sweeper looking = sweeper;
    return looking == null ? List.of() : looking.blind().stream().toList();
  }

  /** Whether workflows run in this process. */
  public boolean connected() {
    return temporal.connected();
  }

  private void connect(Holds holds) {
    temporal.connect(
        new BatchActivitiesImpl(new BatchDriver(database.jdbi(), holds, mover)),
        new RolloutActivitiesImpl(database.jdbi(), holds, policyQueries.failures()));
  }

  /** Until both stores were joined neither tells anything about the other. */
  private static void compare(RecoveryDriver recoveryDriver, OrphanHolds orphans) {
    switch (recoveryDriver.mode()) {
      case NONE -> orphans.look();
      case CLOSED -> {}
      case READING -> orphans.lookAtHolds();
    }
  }

  private void batchGranted(String grant) {
    temporal.inBackground(
        () -> {
          temporal.workflows().startBatch(grant);
          CrashPoint.reach("after-workflow-started");
        });
  }

  private void rolloutCreated(String rollout) {
    temporal.inBackground(() -> temporal.workflows().startRollout(rollout));
  }

  @Override
  public void close() {
    dutyLoop.close();
    boardRounds.close();
    watchRounds.close();
    preflights.close();
    temporalRounds.close();
    recoveryRounds.close();
    temporal.close();
  }
}
