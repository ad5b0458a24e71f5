package dev.drydock.lock.etcd.testkit;

import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Verdict;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The rollouts' side in memory; shared by several grantors like the database it stands for. */
public final class FakeCandidates implements Candidates {
  private final AtomicLong numbers = new AtomicLong();
  private final Map<String, Candidate> pending = new LinkedHashMap<>();
  private final Set<String> abandoned = ConcurrentHashMap.newKeySet();
  private final Map<String, Candidate> asWanted = new ConcurrentHashMap<>();
  public final Map<String, Candidate> proposed = new ConcurrentHashMap<>();
  public final Map<String, Long> committed = new ConcurrentHashMap<>();
  public final List<String> voided = new CopyOnWriteArrayList<>();
  public final Map<String, String> reasons = new ConcurrentHashMap<>();
  public final List<Impound> impounds = new CopyOnWriteArrayList<>();

  /** Happens once, between a grantor's look at etcd and its question what is to be locked. */
  public volatile Runnable beforeImpounds = () -> {};

  public final Map<String, Long> impounded = new ConcurrentHashMap<>();
  public final List<Check> asked = new CopyOnWriteArrayList<>();

  /** What the grantor last said has a place in the queue. */
  public volatile Set<String> places = Set.of();

  public final Map<Check, Verdict> checked = new ConcurrentHashMap<>();

  /** Whether both stores are of one time, and how often that was asked. */
  public volatile boolean agreed = true;

  public final AtomicInteger looks = new AtomicInteger();

  /** Whether beats are taken. */
  public volatile boolean beating;

  private final AtomicLong beats = new AtomicLong();

  /** Beats that etcd has, with the generation. */
  public final Map<Long, Long> kept = new ConcurrentHashMap<>();

  /** A rollout wants these hosts next. */
  public synchronized void want(String id, String... hosts) {
    pending.put(id, new Candidate(id, "r1", List.of(hosts), "web-team", "release 2"));
  }

  /** Its rollout does not want it for a while: it is paused, or backs off. */
  public synchronized void pause(String id) {
    pending.remove(id);
  }

  /** Its rollout ended, or the hosts left it: nobody comes back for its place. */
  public synchronized void abandon(String id) {
    pending.remove(id);
    abandoned.add(id);
  }

  /** A check turned the batch back and its back-off is over: it is wanted again, with its age. */
  public synchronized void turnedBack(String grantId) {
    Candidate candidate = Objects.requireNonNull(proposed.get(grantId), "proposed");
    long revision = Objects.requireNonNull(committed.get(grantId), "committed");
    Seniority age = candidate.seniority().orElse(new Seniority(revision, 0));
    pending.put(candidate.ticketId(), candidate.aged(Optional.of(age)));
  }

  @Override
  public synchronized List<Candidate> pending(Collection<String> queued, int limit) {
    places = Set.copyOf(queued);
    return List.copyOf(pending.values());
  }

  @Override
  public Set<String> abandoned(Collection<Ticket> places) {
    return places.stream()
        .map(Ticket::id)
        .filter(abandoned::contains)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public synchronized boolean idle() {
    return pending.isEmpty() && asWanted.isEmpty();
  }

  @Override
  public synchronized Optional<Proposal> propose(Candidate candidate, Verdict verdict) {
    Candidate was = pending.remove(candidate.ticketId());
    if (was == null) {
      return Optional.empty();
    }
    long number = numbers.incrementAndGet();
    asWanted.put("g" + number, was);
    proposed.put("g" + number, candidate);
    return Optional.of(new Proposal("g" + number, 1, number));
  }

  @Override
  public void committed(String grantId, long revision) {
    committed.put(grantId, revision);
  }

  @Override
  public synchronized void voided(String grantId, String reason) {
    voided.add(grantId);
    Candidate candidate = asWanted.get(grantId);
    if (candidate != null) {
      pending.put(candidate.ticketId(), candidate);
    }
  }

  @Override
  public boolean agree() {
    looks.incrementAndGet();
    return agreed;
  }

  @Override
  public OptionalLong nextBeat() {
    return beating ? OptionalLong.of(beats.incrementAndGet()) : OptionalLong.empty();
  }

  @Override
  public void beatKept(long beat, long generation) {
    kept.put(beat, generation);
  }

  @Override
  public List<Impound> impounds() {
    Runnable before = beforeImpounds;
    beforeImpounds = () -> {};
    before.run();
    return impounds.stream().filter(one -> !impounded.containsKey(one.host())).toList();
  }

  @Override
  public void impounded(Impound impound, long revision) {
    impounded.put(impound.host(), revision);
  }

  @Override
  public void waiting(Map<Candidate, String> told) {
    told.forEach((candidate, reason) -> reasons.put(candidate.ticketId(), reason));
  }

  @Override
  public List<Check> checks() {
    return asked.stream().filter(check -> !checked.containsKey(check)).toList();
  }

  @Override
  public void checked(Check check, Verdict verdict) {
    checked.putIfAbsent(check, verdict);
  }

  /** The verdict of a check that was judged. */
  public Verdict verdict(Check check) {
    return Objects.requireNonNull(checked.get(check), "judged");
  }
}
