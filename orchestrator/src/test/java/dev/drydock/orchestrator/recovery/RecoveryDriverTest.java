package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.CandidateStore;
import dev.drydock.orchestrator.testkit.FakeTime;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is closed while a store is being recovered, and what has to be there before it ends. */
@Tag("stack")
class RecoveryDriverTest {
  private static final BoardTimes TIMES =
      BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofMinutes(5));
  private static final Principal CONSUMER =
      new Principal("adapter", "sre", Role.ADMIN, Set.of("scheduler/static"));

  private final Metrics metrics = new Metrics();
  private TestDatabase database;
  private Fleet fleet;
  private FakeTime etcd;
  private StoreWatch watch;
  private JobBoard board;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    etcd = new FakeTime(database.jdbi());
    watch = new StoreWatch(database.jdbi(), etcd, metrics);
    board = new JobBoard(database.jdbi(), TIMES, watch, HealthChecks.NONE, BatchAdvancer.NOTHING);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void refusesClaimsAndHeartbeatsFromWhenAStoreIsBehind() {
    String job = fleet.drainPublished("a");
    assertThat(watch.agree()).isTrue();
    ClaimResult.Granted claim = (ClaimResult.Granted) board.claim(job, "c", CONSUMER);
    String next = fleet.drainPublished("b");
    etcd.ahead(3);
    assertThat(watch.agree()).isFalse();
    assertThat(metrics.recovering.get()).isEqualTo(1);
    assertThat(board.heartbeat(job, claim.secret())).isEmpty();
    assertThat(board.claim(next, "c", CONSUMER))
        .isInstanceOfSatisfying(
            ClaimResult.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(ClaimResult.Reason.RECOVERY_MODE));

    // The control: a board without the gate gives it out.
    assertThat(new JobBoard(database.jdbi(), TIMES).claim(next, "c", CONSUMER))
        .isInstanceOf(ClaimResult.Granted.class);
  }

  @Test
  void whatWasNoticedStandsAlsoWhenTheStoresAgreeAgain() {
    fleet.granted("a");
    etcd.ahead(3);
    assertThat(watch.agree()).isFalse();
    etcd.ahead(0);
    assertThat(watch.agree()).isFalse();
    assertThat(new StoreWatch(database.jdbi(), etcd, metrics).agree())
        .as("another process, or the next")
        .isFalse();
    assertThat(fleet.value("SELECT count(*) FROM events WHERE kind = 'RecoveryStarted'"))
        .isEqualTo("1");
  }

  /** After a failover that lost commits the next beat would make both stores agree for good. */
  @Test
  void takesABeatOnlyWhereTheLastOneSeenIsStillThere() {
    assertThat(watch.next()).isPresent();
    long last = watch.next().orElseThrow();
    fleet.execute("UPDATE store_beats SET taken = 1, acknowledged = 1");
    assertThat(watch.next()).isEmpty();
    assertThat(fleet.value("SELECT behind || ': ' || reason FROM recoveries"))
        .isEqualTo(
            "PostgreSQL: PostgreSQL had beat %d a moment ago, and has not any more"
                .formatted(last));
    assertThat(watch.agree()).isFalse();
  }

  @Test
  void proposesNothingWhileAStoreIsRecoveredNorWhereTheLastBeatIsGone() {
    fleet.host("p1");
    fleet.rollout("rp", "p1");
    CandidateStore candidates =
        new CandidateStore(
            database.jdbi(),
            fleet.zones,
            _ -> {},
            new CandidateStore.ExternalStores(watch, BatchAdvancer.NOTHING, false));
    Candidate candidate = candidates.pending(List.of(), 10).getFirst();
    watch.next();
    fleet.execute("UPDATE store_beats SET taken = 0");
    assertThat(candidates.propose(candidate, Fleet.GRANT)).as("the last beat is gone").isEmpty();
    fleet.execute("UPDATE store_beats SET taken = 1000");
    etcd.ahead(2000);
    watch.agree();
    assertThat(candidates.propose(candidate, Fleet.GRANT)).as("in recovery").isEmpty();
    fleet.execute("UPDATE recoveries SET ended_at = clock_timestamp()");
    assertThat(candidates.propose(candidate, Fleet.GRANT)).as("the control").isPresent();
  }

  @Test
  void endsOnlyWhenEveryHostWasReadBackAndLocked() {
    String grant = fleet.granted("a");
    etcd.ahead(3);
    watch.agree();
    RecoveryDriver recoveryDriver = recovery();
    assertThat(recoveryDriver.mode()).isEqualTo(RecoveryDriver.Mode.CLOSED);
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).isEqualTo(RecoveryDriver.Mode.READING);
    assertThat(fleet.rows.batch(grant).blind()).isTrue();
    recoveryDriver.step();
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).as("a is not read").isEqualTo(RecoveryDriver.Mode.READING);
    fleet.asIf.are(HostUpgradeState.Quarantined);
    recoveryDriver.step();
    assertThat(recoveryDriver.mode()).isEqualTo(RecoveryDriver.Mode.NONE);
    assertThat(watch.agree()).isTrue();
    assertThat(fleet.value("SELECT epoch FROM store_beats")).isEqualTo("2");
  }

  @Test
  void whatBatchesAndPeopleHadIsLockedAgainOnceForEachHost() {
    String grant = fleet.granted("a");
    fleet.holds.end(fleet.holds.endOf(grant, "a"));
    told(1, "Quarantined g0 Quarantine a"); // Its end was never told.
    told(2, "Quarantined g8 Quarantine b");
    told(3, "Ended g8 Quarantine b");
    told(4, "Granted m1 Maintenance b");
    told(5, "Granted f1 FleetLock c");
    told(6, "Granted s1 Session d");
    told(7, "Quarantined g9 Quarantine e");
    told(8, "Ended g9 Quarantine e");
    etcd.ahead(-2);
    watch.agree();
    RecoveryDriver recoveryDriver = recovery();
    recoveryDriver.step();
    recoveryDriver.step();
    assertThat(fleet.rows.impounds())
        .containsExactly(
            new Row.Impound(grant, "a", "BATCH", false),
            new Row.Impound("m1", "b", "QUARANTINE", false),
            new Row.Impound("f1", "c", "QUARANTINE", false));
    assertThat(standing().getBehind()).isEqualTo("etcd");
    assertThat(etcd.forgotten()).as("copies of it were thrown away, once").isEqualTo(1);
    assertThat(standing().getWaitsFor())
        .isEqualTo("hosts to be locked again: a, b, c; leases from before, 0 s at most");
  }

  @Test
  void tellsWhatItWaitsFor() {
    assertThat(standing().isRecovering()).isFalse();
    fleet.granted("a");
    etcd.ahead(3);
    watch.agree();
    assertThat(standing().hasHosts()).as("not joined").isFalse();
    recovery().step();
    assertThat(standing().getHosts()).isEqualTo(1);
    assertThat(standing().getRead()).isZero();
    assertThat(standing().getWaitsFor()).startsWith("hosts to be read back: a; ");
  }

  /** As the history of locks: what, lock, kind, host. */
  private void told(int revision, String entry) {
    String[] words = entry.split(" ");
    fleet.execute(
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        VALUES (1, %d, 0, '%s', '%s', '%s', '{%s}', 'sre', 'sre', 'test', 1)
        """
            .formatted(revision, words[0], words[1], words[2], words[3]));
  }

  private dev.drydock.api.Recovery standing() {
    return new RecoveryProgress(database.jdbi(), leases()).read();
  }

  private static LeaseGracePeriod leases() {
    return new LeaseGracePeriod(RestartableRoom.config(Optional.of(Duration.ZERO)));
  }

  private RecoveryDriver recovery() {
    return new RecoveryDriver(
        new RecoveryDriver.Stores(database.jdbi(), fleet.holds, etcd),
        new RecoveryDriver.Batches(new SnapshotReader(Fleet.limits()), fleet.policies, _ -> {}),
        leases(),
        BootClock.system());
  }
}
