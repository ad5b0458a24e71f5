package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Verdict;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.proto.crash.CrashPoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The rollouts' side of granting in PostgreSQL (protocol P5). A proposed grant only reserves its
 * host upgrades, by their {@code grant_id}; they are in progress, and have the age of their first
 * turn, once the hold is known to stand, so that a void grant leaves them as they were. Safe for
 * use by many threads.
 */
public final class CandidateStore implements Candidates {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final PendingBatches batches;
  private final UnclaimedTopics topics;
  private final String free;
  private final CheckStore checks;
  private final ImpoundStore impounds;
  private final GrantorBeat beating;
  private final Consumer<String> granted;

  /**
   * The store.
   *
   * @param zonePolicy asked when a check would be passed
   * @param granted called after a grant was recorded, to start its batch; may be called again, must
   *     not fail
   */
  public CandidateStore(Jdbi jdbi, ZonePolicy zonePolicy, Consumer<String> granted) {
    this(
        jdbi,
        zonePolicy,
        granted,
        new ExternalStores(GrantorBeat.NONE, BatchAdvancer.NOTHING, false));
  }

  /**
   * What else there is.
   *
   * @param beating keeps both stores of one time
   * @param onward moves batches on when checks of them are decided
   * @param preflight whether only hosts are candidates that passed their preflights
   */
  public record ExternalStores(GrantorBeat beating, BatchAdvancer onward, boolean preflight) {}

  /** The same. */
  public CandidateStore(
      Jdbi jdbi, ZonePolicy zonePolicy, Consumer<String> granted, ExternalStores externalStores) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.batches =
        externalStores.preflight() ? PendingBatches.ofReady(jdbi) : PendingBatches.ofAll(jdbi);
    this.free = externalStores.preflight() ? PendingBatches.READY : PendingBatches.FREE;
    this.topics = new UnclaimedTopics(jdbi);
    this.checks = new CheckStore(jdbi, zonePolicy, externalStores.onward());
    this.impounds = new ImpoundStore(jdbi);
    this.granted = granted;
    this.beating = externalStores.beating();
  }

  /**
   * A batch some of whose hosts are under way, back off or wait for canaries waits as a whole, and
   * so does one whose jobs nobody would claim.
   */
  @Override
  public List<Candidate> pending(Collection<String> queued, int limit) {
    List<Candidate> offered = batches.offered(queued, limit);
    Map<Candidate, String> unclaimed = topics.waiting(offered);
    if (unclaimed.isEmpty()) {
      return offered;
    }
    waiting(unclaimed);
    return offered.stream().filter(one -> !unclaimed.containsKey(one)).toList();
  }

  @Override
  public Set<String> abandoned(Collection<Ticket> places) {
    return AbandonedPlaces.among(jdbi, places);
  }

  @Override
  public boolean idle() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT NOT EXISTS (SELECT FROM rollouts WHERE ended_at IS NULL AND state <>"
                        + " 'Scheduled')")
                .mapTo(Boolean.class)
                .one());
  }

  @Override
  public Optional<Proposal> propose(Candidate candidate, Verdict verdict) {
    Optional<Proposal> proposal =
        transactor.call(
            handle ->
                beating.stands(handle)
                    ? ProposedGrants.insert(handle, candidate, verdict, free)
                    : Optional.empty());
    if (proposal.isPresent()) {
      beating.took(proposal.get().beat());
      CrashPoint.reach("after-grant-proposed");
    }
    return proposal;
  }

  @Override
  public void committed(String grantId, long revision) {
    boolean alive = transactor.call(handle -> recordCommitted(handle, grantId, revision));
    CrashPoint.reach("after-grant-recorded");
    if (alive) {
      granted.accept(grantId);
    }
  }

  /** Answers whether the grant is alive now: one that has ended starts nothing. */
  private static boolean recordCommitted(Handle handle, String grantId, long revision) {
    GrantRow grant = GrantRow.lock(handle, grantId);
    if (grant.state().equals("void")) {
      throw new IllegalStateException(
          "grant " + grantId + " is void here but committed in etcd: stop and compare both stores");
    }
    if (!grant.state().equals("proposed")) {
      return grant.alive();
    }
    handle
        .createUpdate(
            """
            UPDATE grants
            SET state = 'granted', hold_revision = :revision,
                seniority_revision = COALESCE(seniority_revision, :revision),
                seniority_index = COALESCE(seniority_index, 0)
            WHERE id = :id
            """)
        .bind("revision", revision)
        .bind("id", grantId)
        .execute();
    handle
        .createUpdate(
            """
            UPDATE host_upgrades u
            SET state = 'InProgress', reason = '', step = NULL, not_before = NULL,
                superseded_by = NULL,
                started_at = COALESCE(started_at, clock_timestamp()),
                release_before = CASE WHEN started_at IS NULL THEN h.release ELSE release_before END,
                seniority_revision = g.seniority_revision, seniority_index = g.seniority_index
            FROM grants g, hosts h
            WHERE g.id = :id AND u.grant_id = g.id AND u.state = 'Pending' AND h.name = u.host
            """)
        .bind("id", grantId)
        .execute();
    SupersededHosts.mark(handle, grantId);
    NewEvent.ofRollout(
            EventKind.BatchGranted,
            grant.rollout(),
            Map.of("grant", grantId, "hosts", grant.hosts(), "hold", revision))
        .append(handle);
    return true;
  }

  @Override
  public void voided(String grantId, String reason) {
    transactor.call(handle -> recordVoid(handle, grantId, reason));
  }

  private static boolean recordVoid(Handle handle, String grantId, String reason) {
    GrantRow grant = GrantRow.lock(handle, grantId);
    if (grant.state().equals("void")) {
      return false;
    }
    if (!grant.state().equals("proposed")) {
      throw new IllegalStateException(
          "grant "
              + grantId
              + " is "
              + grant.state()
              + " here but void in etcd: compare both stores");
    }
    handle
        .createUpdate(
            "UPDATE grants SET state = 'void', ended_at = clock_timestamp() WHERE id = :id")
        .bind("id", grantId)
        .execute();
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET grant_id = NULL, reason = :reason
            WHERE grant_id = :id AND state = 'Pending'
            """)
        .bind("id", grantId)
        .bind("reason", reason)
        .execute();
    NewEvent.ofRollout(
            EventKind.BatchVoided, grant.rollout(), Map.of("grant", grantId, "reason", reason))
        .append(handle);
    return true;
  }

  @Override
  public boolean agree() {
    return beating.agree();
  }

  @Override
  public OptionalLong nextBeat() {
    return beating.next();
  }

  @Override
  public void beatKept(long beat, long generation) {
    beating.kept(beat, generation);
  }

  @Override
  public List<Impound> impounds() {
    return impounds.open();
  }

  @Override
  public void impounded(Impound impound, long revision) {
    impounds.done(impound, revision);
  }

  @Override
  public void waiting(Map<Candidate, String> reasons) {
    List<String> rollouts = new ArrayList<>();
    List<String> hosts = new ArrayList<>();
    List<String> says = new ArrayList<>();
    reasons.forEach(
        (candidate, reason) -> {
          for (String host : candidate.hosts()) {
            rollouts.add(candidate.rollout());
            hosts.add(host);
            says.add(reason);
          }
        });
    transactor.call(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE host_upgrades u SET reason = w.reason
                    FROM unnest(:rollouts, :hosts, :reasons) AS w (rollout, host, reason)
                    WHERE u.rollout = w.rollout AND u.host = w.host AND u.state = 'Pending'
                      AND u.grant_id IS NULL AND u.reason <> w.reason AND u.waits_for = '{}'
                    """)
                .bindArray("rollouts", String.class, rollouts)
                .bindArray("hosts", String.class, hosts)
                .bindArray("reasons", String.class, says)
                .execute());
  }

  @Override
  public List<Check> checks() {
    return checks.requested();
  }

  @Override
  public void checked(Check check, Verdict verdict) {
    checks.decided(check, verdict);
    CrashPoint.reach("after-check-decided");
  }
}
