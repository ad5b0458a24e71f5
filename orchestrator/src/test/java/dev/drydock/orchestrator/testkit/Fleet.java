package dev.drydock.orchestrator.testkit;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Verdict;
import dev.drydock.orchestrator.batch.BatchDriver;
import dev.drydock.orchestrator.batch.BatchMover;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.decision.Decisions;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.report.HostFacts;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.CandidateStore;
import dev.drydock.orchestrator.store.GrantorBeat;
import dev.drydock.platform.config.ServerConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Rows to test with: hosts of a fleet, one release, rollouts, and batches brought to a phase by the
 * code under test.
 */
public final class Fleet {
  public static final Verdict GRANT = new Verdict(Verdict.Decision.GRANT, "enough up", List.of());
  public static final Verdict WAIT = new Verdict(Verdict.Decision.WAIT, "too few up", List.of());

  /** Tests about other things have hosts that are asked nothing before their grants. */
  public static final ServerConfig.Preflight UNASKED =
      new ServerConfig.Preflight(0, 200, Duration.ofMinutes(30), 3);

  private final Jdbi jdbi;

  /** What its tables say. */
  public final Rows rows;

  /** What changes them as time, faults and other people do. */
  public final AsIf asIf;

  /** The same of jobs, checks and questions. */
  public final WorkAsIf workAsIf;

  public final CandidateStore candidates;
  public final FakeHolds holds = new FakeHolds();
  public final FakeZones zones = new FakeZones();
  public final BatchDriver driver;

  /** What the policies say of hosts that are not drained in time, from now on. */
  public volatile LateDrain late = LateDrain.UNSAID;

  /** What the policies say of hooks, from now on. */
  public volatile List<HookPolicy> wanted = List.of();

  /** What they say, from now on, that a batch with web does when one of its hosts fails. */
  public volatile OnHostFailure onHostFailure = OnHostFailure.ABORT;

  /** The checks a host has to pass that the policy of each application wants, from now on. */
  public volatile Map<String, Set<String>> healthChecks = Map.of();

  public final HealthChecks checks =
      (handle, applications) ->
          applications.stream()
              .flatMap(application -> healthChecks.getOrDefault(application, Set.of()).stream())
              .collect(Collectors.toCollection(TreeSet::new));

  /** What they let be tried on a host before it is quarantined, from now on. */
  public volatile Ladder ladder = Ladder.NONE;

  /** The policies: a drain may take ten minutes, and ten more for each application. */
  public final BatchPolicies policies =
      () ->
          new PoliciesInForce() {
            @Override
            public List<HookPolicy> hooks() {
              return wanted;
            }

            @Override
            public Map<String, OnHostFailure> onHostFailure() {
              return onHostFailure == OnHostFailure.ABORT ? Map.of() : Map.of("web", onHostFailure);
            }

            @Override
            public DrainTerms drain(Set<String> applications) {
              Duration timeout = Duration.ofMinutes(10 + 10L * applications.size());
              boolean said = late != LateDrain.UNSAID;
              return new DrainTerms(
                  timeout, late, List.of("web"), said ? List.of("search") : List.of());
            }

            @Override
            public Ladder ladder(Set<String> applications) {
              return ladder;
            }
          };

  /** What moves batches on when something of them happened. */
  public final BatchAdvancer onward;

  /** What people are asked. */
  public final Decisions decisions;

  /** Batches do nothing by themselves. */
  public Fleet(Jdbi jdbi) {
    this(jdbi, mover -> BatchAdvancer.NOTHING);
  }

  /**
   * The same.
   *
   * @param goingOn what moves batches on, from what does so in production
   */
  public Fleet(Jdbi jdbi, UnaryOperator<BatchAdvancer> goingOn) {
    this(jdbi, goingOn, limits());
  }

  /**
   * The same.
   *
   * @param limits on all remediations together
   */
  public Fleet(Jdbi jdbi, UnaryOperator<BatchAdvancer> goingOn, RepairLimits limits) {
    this(jdbi, goingOn, limits, UNASKED);
  }

  /**
   * The same.
   *
   * @param preflight what hosts are asked before they are granted
   */
  public Fleet(
      Jdbi jdbi,
      UnaryOperator<BatchAdvancer> goingOn,
      RepairLimits limits,
      ServerConfig.Preflight preflight) {
    this.jdbi = jdbi;
    this.rows = new Rows(jdbi);
    this.asIf = new AsIf(jdbi);
    this.workAsIf = new WorkAsIf(jdbi);
    SnapshotReader reader = new SnapshotReader(limits);
    BatchMover mover = new BatchMover(policies, reader, zones);
    this.onward = goingOn.apply(mover);
    this.decisions = new Decisions(jdbi, onward, policies, reader);
    this.candidates =
        new CandidateStore(
            jdbi,
            zones,
            grant -> {},
            new CandidateStore.ExternalStores(GrantorBeat.NONE, onward, preflight.on()));
    this.driver = new BatchDriver(jdbi, holds, mover);
    execute(
        "INSERT INTO releases (name, spec, created_by) VALUES ('2', '{\"name\": \"2\", \"channel\":"
            + " \"http://x/2\", \"packages\": {}, \"kernel\": \"6\"}', 'test') ON CONFLICT DO NOTHING");
  }

  /** As servers have them that nobody configured. */
  public static RepairLimits limits() {
    ServerConfig.Remediation said = ServerConfig.Remediation.DEFAULT;
    return new RepairLimits(said.atOnce(), said.alike(), said.coolDown());
  }

  /** A host with one instance of web, reported by the source static. */
  public void host(String name) {
    execute(
        """
        INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
        VALUES ('%s', '10.0.0.1', 'static', 'default', 'static', clock_timestamp())
        """
            .formatted(name));
    instance("web", name);
  }

  /** One more instance on a host, reported by the source static. */
  public void instance(String application, String host) {
    execute(
        """
        INSERT INTO instances (id, application, host, zone, health, source, mark, observed_at)
        VALUES ('%1$s@%2$s', '%1$s', '%2$s', 'z1', 'Healthy', 'static', 0, clock_timestamp())
        """
            .formatted(application, host));
  }

  /** Labels the host with a package family. */
  public void family(String host, String family) {
    execute(
        "UPDATE hosts SET labels = '{\"os-family\": \"%s\"}' WHERE name = '%s'"
            .formatted(family, host));
  }

  /** A running rollout of the hosts to release 2. */
  public void rollout(String id, String... hosts) {
    execute(
        """
        INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
        VALUES ('%s', '2', 'PackageUpdate', 'Running', 'test', 'sre', 'sre')
        """
            .formatted(id));
    for (int i = 0; i < hosts.length; i++) {
      execute(
          "INSERT INTO host_upgrades (rollout, host, position, batch, state) VALUES ('%s', '%s', %d, %3$d, 'Pending')"
              .formatted(id, hosts[i], i));
    }
  }

  /**
   * Many new hosts that wait in a rollout.
   *
   * @param prefix of their names; a number follows
   * @param together how many of them are a batch
   */
  public void crowd(String rollout, String prefix, int from, int to, int together) {
    jdbi.useHandle(handle -> crowd(handle, rollout, prefix, from, to, together));
  }

  /** The same in a transaction. */
  public static void crowd(
      Handle transaction, String rollout, String prefix, int from, int to, int together) {
    transaction.execute(
        """
        INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
        SELECT '%1$s' || n, '10.0.0.1', 'static', 'default', 'static', clock_timestamp()
        FROM generate_series(%3$d, %4$d) n;
        INSERT INTO host_upgrades (rollout, host, position, batch, state)
        SELECT '%2$s', '%1$s' || n, n, n / %5$d, 'Pending' FROM generate_series(%3$d, %4$d) n
        """
            .formatted(prefix, rollout, from, to, together));
  }

  /** A new host in a new rollout, granted and cordoned for good in etcd; answers its grant. */
  public String granted(String host) {
    host(host);
    rollout("r-" + host, host);
    return grant("r-" + host, host);
  }

  /** Hosts that are granted together are a batch. */
  public String grant(String rollout, String... hosts) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE host_upgrades u SET batch = f.batch FROM host_upgrades f
                    WHERE u.rollout = :rollout AND u.host = ANY(:hosts)
                      AND f.rollout = :rollout AND f.host = :first
                    """)
                .bind("rollout", rollout)
                .bindArray("hosts", String.class, hosts)
                .bind("first", hosts[0])
                .execute());
    Proposal proposal =
        candidates
            .propose(new Candidate(rollout, rollout, List.of(hosts), "sre", "test"), GRANT)
            .orElseThrow();
    long revision = holds.commit(proposal.grantId(), List.of(hosts));
    candidates.committed(proposal.grantId(), revision);
    return proposal.grantId();
  }

  public BatchRun run(String grant) {
    return driver.begin(grant, "run-of-" + grant);
  }

  /** Drives the batch as its workflow would, until nothing more can be done now. */
  public DriveResult drive(String grant) {
    return driver.drive(run(grant));
  }

  /** A batch whose open check is granted now and whose Drain is published; answers the job. */
  public String drainPublished(String host) {
    String grant = granted(host);
    opened(grant);
    drive(grant);
    return rows.waiting(grant, JobStep.Drain).getFirst().id();
  }

  /** The hosts of the grant are cordoned, and its open check is asked for and granted. */
  public void opened(String grant) {
    drive(grant);
    done(grant, "Cordon");
    drive(grant);
    decide(grant, GRANT);
    drive(grant);
    decide(grant, GRANT);
  }

  /** The jobs of a step that nobody has are done, without a consumer. */
  public void done(String grant, String step) {
    workAsIf.ended(rows.waiting(grant, JobStep.valueOf(step)), JobStatus.DONE);
  }

  /** Decides whatever check of the grant is asked for. */
  public void decide(String grant, Verdict verdict) {
    for (Check check : candidates.checks()) {
      if (check.grantId().equals(grant)) {
        candidates.checked(check, verdict);
      }
    }
  }

  /** What executors read of the packages of a host before and after; an empty list is not told. */
  public void told(String rollout, String host, String before, String after) {
    Map<String, String> facts = new HashMap<>(Map.of("kernelBefore", "6.1", "kernelAfter", "6.2"));
    if (!before.isEmpty()) {
      facts.put("packagesBefore", before);
    }
    if (!after.isEmpty()) {
      facts.put("packagesAfter", after);
    }
    jdbi.useTransaction(handle -> new HostFacts().keep(handle, rollout, host, facts));
  }

  /** A mark of the source static. */
  public long mark() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("INSERT INTO marks (source) VALUES ('static') RETURNING mark")
                .mapTo(Long.class)
                .one());
  }

  public void execute(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }

  /** The only value of a query. */
  public String value(String sql) {
    return jdbi.withHandle(
        handle ->
            String.valueOf(handle.createQuery(sql).mapTo(String.class).findOne().orElse("none")));
  }

  /** The row of a query with one row. */
  public Map<String, Object> row(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapToMap().one());
  }
}
