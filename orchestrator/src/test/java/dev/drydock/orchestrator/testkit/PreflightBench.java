package dev.drydock.orchestrator.testkit;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimGate;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.preflight.PreflightOutcomes;
import dev.drydock.orchestrator.preflight.PreflightRounds;
import dev.drydock.orchestrator.preflight.Preflights;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/** Hosts that are asked before their grants, on a real PostgreSQL; time passes when a test says. */
public final class PreflightBench implements AutoCloseable {
  public static final String TOPIC = "host/PackageUpdate";
  public static final ServerConfig.Preflight TERMS =
      new ServerConfig.Preflight(50, 200, Duration.ofMinutes(30), 3);
  private static final Principal OPERATOR =
      new Principal("operator", "sre", Role.CONSUMER, Set.of(TOPIC));

  private final TestDatabase database = new TestDatabase();
  public final Fleet fleet;
  public final JobBoard board;
  private final PreflightRounds rounds;
  private volatile Optional<Brake> brake = Optional.empty();

  public PreflightBench() {
    this(TERMS);
  }

  public PreflightBench(ServerConfig.Preflight terms) {
    fleet = new Fleet(database.jdbi(), mover -> BatchAdvancer.NOTHING, Fleet.limits(), terms);
    BoardTimes times =
        BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofMinutes(1));
    PreflightOutcomes outcomes = new PreflightOutcomes(terms);
    board =
        new JobBoard(
            database.jdbi(),
            times,
            new JobBoard.ExternalStores(
                ClaimGate.OPEN,
                fleet.onward,
                List.of(new Preflights(times, fleet.checks, outcomes))),
            fleet.checks);
    rounds = new PreflightRounds(database.jdbi(), terms, outcomes, this::locks);
  }

  private LockTable locks() {
    LockTable table = fleet.holds.table();
    return new LockTable(
        table.revision(),
        table.locks(),
        table.tickets(),
        table.ended(),
        table.alive(),
        brake,
        table.passed());
  }

  /** The fleet is frozen from now on, or not. */
  public void frozen(boolean now) {
    brake = now ? Optional.of(new Brake("ann", "storm", Instant.EPOCH)) : Optional.empty();
  }

  /** A store was restored, or is no more. */
  public void recovering(boolean now) {
    fleet.execute(
        now
            ? "INSERT INTO recoveries (behind, reason) VALUES ('etcd', 'test')"
            : "UPDATE recoveries SET ended_at = clock_timestamp()");
  }

  public Jdbi jdbi() {
    return database.jdbi();
  }

  /** New hosts in a new rollout. */
  public void rollout(String id, String... hosts) {
    Arrays.stream(hosts).forEach(fleet::host);
    fleet.rollout(id, hosts);
  }

  /** One round; answers how many hosts were asked. */
  public int round() {
    return rounds.round();
  }

  /** What a consumer of the topic could claim of preflights. */
  public List<Job> offered() {
    return board
        .claimable(
            List.of(TOPIC), List.of(JobStep.Preflight), new PageRequest(0, 500), FieldMask.all())
        .elements();
  }

  public List<String> offeredHosts() {
    return offered().stream().map(Job::getHost).toList();
  }

  public ClaimResult claim(Job job) {
    return board.claim(job.getId(), "consumer", OPERATOR);
  }

  /** A consumer takes the preflight that the host is offered; answers what it has to send. */
  public ClaimResult.Granted taken(String host) {
    Job job =
        offered().stream().filter(one -> one.getHost().equals(host)).findFirst().orElseThrow();
    return (ClaimResult.Granted) claim(job);
  }

  public CompletionResult complete(String job, ClaimResult.Granted claim, JobResult result) {
    return board.complete(job, claim.secret(), JobReport.of(result), OPERATOR);
  }

  public static JobResult passed() {
    return new JobResult().setOutcome(JobOutcome.Done).setMessage("could be updated");
  }

  public static JobResult failed(JobMend mend, String cause, String message) {
    return new JobResult()
        .setOutcome(JobOutcome.Failed)
        .setMend(mend)
        .setCause(cause)
        .setMessage(message);
  }

  /** Consumers end the preflights of the hosts so. */
  public void end(JobResult result, String... hosts) {
    for (String host : hosts) {
      String job = job(host);
      CompletionResult completionResult = complete(job, taken(host), result);
      if (!(completionResult instanceof CompletionResult.Accepted)) {
        throw new AssertionError(job + ": " + completionResult);
      }
    }
  }

  /** The id of the open preflight of the host. */
  public String job(String host) {
    return fleet.value(
        "SELECT id FROM preflights WHERE host = '%s' AND state IN ('Pending', 'Claimed')"
            .formatted(host));
  }

  /** What the grantor may take now. */
  public List<String> candidates() {
    return fleet.candidates.pending(List.of(), 500).stream()
        .flatMap(candidate -> candidate.hosts().stream())
        .toList();
  }

  /** Whether the grantor gets the host, as it was offered some time ago. */
  public boolean proposed(String rollout, String host) {
    return fleet
        .candidates
        .propose(
            new Candidate(rollout + "." + host, rollout, List.of(host), "sre", "test"), Fleet.GRANT)
        .isPresent();
  }

  public HostUpgradeState state(String host) {
    return fleet.rows.host(host).state();
  }

  public String reason(String host) {
    return fleet.rows.host(host).reason();
  }

  /** How many hosts are so. */
  public long hosts(HostUpgradeState state) {
    return fleet.rows.hosts().stream().filter(host -> host.state() == state).count();
  }

  /** The state of the rollout, and why it took it. */
  public String rollout(String id) {
    Row.Rollout rollout = fleet.rows.rollout(id);
    return (rollout.state() + " " + rollout.reason()).strip();
  }

  /** Kinds of events of the host, in their order. */
  public List<String> events(String host) {
    return List.of(
        fleet
            .value(
                "SELECT COALESCE(string_agg(kind, ',' ORDER BY id), '') FROM events WHERE host = '%s'"
                    .formatted(host))
            .split(","));
  }

  /** As if everything had been so long ago. */
  public void later(Duration passes) {
    fleet.execute(
        """
        UPDATE preflights
        SET created_at = created_at - make_interval(secs => %1$d),
            lease_until = lease_until - make_interval(secs => %1$d),
            deadline = deadline - make_interval(secs => %1$d),
            ended_at = ended_at - make_interval(secs => %1$d)
        """
            .formatted(passes.toSeconds()));
    fleet.workAsIf.askedBefore(passes.toSeconds());
  }

  @Override
  public void close() {
    database.close();
  }
}
