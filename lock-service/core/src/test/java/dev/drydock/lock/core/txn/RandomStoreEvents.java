package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** What clients, hosts, rollouts and time do to a store at random, and what decisions do to it. */
final class RandomStoreEvents {
  static final List<String> HOSTS = List.of("h1", "h2", "h3", "h4", "h5", "h6");

  final List<Candidate> wanted = new ArrayList<>();
  final List<Check> asked = new ArrayList<>();
  Instant now = Instant.EPOCH;

  private final Random random;
  private final Store store;
  private final Replica replica;
  private final Runnable timePassed;
  private final Set<String> lapsing = new TreeSet<>();
  private int tickets;

  /** Tells {@code timePassed} when it did. */
  RandomStoreEvents(Random random, Store store, Replica replica, Runnable timePassed) {
    this.random = random;
    this.store = store;
    this.replica = replica;
    this.timePassed = timePassed;
  }

  /** The delays and maxima of all that was there before time went by last are over. */
  GrantorPass.Witnessed witnessed() {
    return new GrantorPass.Witnessed(Set.of(), lapsing);
  }

  /** One of all that can happen. */
  void something() {
    switch (random.nextInt(14)) {
      case 0, 1, 2, 3, 4 -> enqueue();
      case 12, 13 -> rollouts();
      case 5, 6, 7 -> any(locks(Kind.SESSION)).ifPresent(this::release);
      case 8 -> anyAlive().ifPresent(id -> store.delete(new Key.Alive(id)));
      case 9 -> hold();
      case 10 -> {
        now = now.plusSeconds(random.nextInt(20));
        replica.lapsing().forEach(lock -> lapsing.add(lock.host()));
        timePassed.run();
      }
      default -> rest();
    }
  }

  /** They come and go; passes look at everything until one saw that nothing is wanted. */
  private void rollouts() {
    switch (random.nextInt(4)) {
      case 0, 1 -> {
        String id = "c" + ++tickets;
        wanted.add(new Candidate(id, "r1", someHosts(), "web", "release"));
      }
      case 2 -> {
        wanted.clear(); // Paused: their tickets stay.
        asked.clear();
      }
      default ->
          any(locks(Kind.BATCH))
              .map(lock -> new Check(lock.id(), Check.Kind.CONFIRM, 1, lock.hosts()))
              .ifPresent(asked::add);
    }
  }

  private List<String> someHosts() {
    Set<String> hosts = new TreeSet<>();
    int number = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1;
    while (hosts.size() < number) {
      hosts.add(HOSTS.get(random.nextInt(HOSTS.size())));
    }
    return List.copyOf(hosts);
  }

  private void rest() {
    switch (random.nextInt(6)) {
      case 0 -> store.put(new Key.Brake(), new Brake("sre", "stop", now));
      case 1, 2, 3 -> store.delete(new Key.Brake());
      default ->
          any(List.copyOf(replica.waiters().all()))
              .ifPresent(
                  ticket ->
                      store.put(
                          new Key.Ticket(ticket.id(), ticket.index()),
                          ticket.withDeadline(now.plusSeconds(30))));
    }
  }

  private void enqueue() {
    String id = "t" + ++tickets;
    Mode mode = mode();
    Ticket ticket =
        Samples.ticket(id, mode, store.revision, someHosts())
            .withDeadline(now.plusSeconds(10 + random.nextInt(60)))
            .lasting(random.nextBoolean() ? 1 + random.nextInt(90) : 0)
            .asking(random.nextBoolean() ? Optional.of(now.plusSeconds(30)) : Optional.empty());
    if (mode != Mode.CANDIDATE) {
      store.put(new Key.Alive(id), new LivenessRecord(!ticket.onItsOwnLease(), 10));
    }
    store.put(new Key.Ticket(id, 0), ticket);
  }

  /** A candidate's ticket is blocked here: the rollouts are idle whenever a pass is scoped. */
  private Mode mode() {
    return switch (random.nextInt(10)) {
      case 0, 1 -> Mode.TRY;
      case 2 -> Mode.CANDIDATE;
      case 3 -> Mode.FLEETLOCK;
      default -> Mode.WAIT;
    };
  }

  private void release(LockRecord lock) {
    store.delete(new Key.Alive(lock.id()));
    replica
        .release(lock.id())
        .ifPresent(
            release -> {
              lapsing.removeAll(release.hosts());
              store.put(
                  new Key.Session(lock.id()),
                  new SessionLock.Over(
                      release.hosts().stream()
                          .map(
                              host ->
                                  new EndedLock(host, lock.id(), store.revision, "owner", "done"))
                          .toList()));
              release.outdated().forEach(store::delete);
            });
  }

  private void hold() {
    String host = HOSTS.get(random.nextInt(HOSTS.size()));
    Optional<LockRecord> there = replica.lockOn(host);
    if (there.isEmpty()) {
      Kind kind = random.nextBoolean() ? Kind.BATCH : Kind.QUARANTINE;
      store.put(
          new Key.Lock(host),
          new LockRecord(
              "g" + store.revision,
              kind,
              Stage.OPEN,
              host,
              List.of(host),
              List.of(),
              "web",
              "release",
              Optional.of("r1"),
              1,
              1,
              store.revision));
    } else if (there.get().kind() != Kind.SESSION) {
      lapsing.remove(host);
      store.delete(new Key.Lock(host));
    }
  }

  private List<LockRecord> locks(Kind kind) {
    return HOSTS.stream()
        .flatMap(host -> replica.lockOn(host).stream())
        .filter(lock -> lock.kind() == kind)
        .toList();
  }

  private Optional<String> anyAlive() {
    return any(
        store.everything.keySet().stream()
            .filter(Key.Alive.class::isInstance)
            .map(key -> ((Key.Alive) key).id())
            .sorted()
            .toList());
  }

  private <T> Optional<T> any(List<T> list) {
    return list.isEmpty() ? Optional.empty() : Optional.of(list.get(random.nextInt(list.size())));
  }

  /** What etcd has after it was carried out. */
  void carryOut(GrantorDecision decision) {
    switch (decision) {
      case GrantorDecision.RemoveLapsed(LockRecord lock, String reason) -> remove(lock);
      case GrantorDecision.NoteLapse(LockRecord lock) -> {
        lapsing.remove(lock.host());
        store.put(
            new Key.Ended(lock.host()),
            new EndedLock(
                lock.host(), lock.id(), lock.token(), store.revision, "grantor", "lapsed"));
      }
      case GrantorDecision.TurnAway(Ticket ticket, String reason) -> leave(ticket);
      case GrantorDecision.SetClock(Ticket ticket, var clock) ->
          store.put(new Key.Passed(ticket.id()), clock);
      case GrantorDecision.GrantTicket grant -> {
        leave(grant.ticket());
        store.lock(Grants.foreign(grant.ticket(), now));
      }
      case GrantorDecision.GrantCandidate grant -> grant(grant);
      case GrantorDecision.JudgeCheck judged -> {
        asked.remove(judged.check());
        judged.hold().forEach(lock -> store.put(new Key.Lock(lock.host()), lock));
      }
      case GrantorDecision.Enqueue(List<Candidate> candidates) -> {
        for (int i = 0; i < candidates.size(); i++) {
          Ticket place = Grants.placeOf(candidates.get(i), i, now.plusSeconds(600));
          store.put(new Key.Ticket(place.id(), i), place.at(store.revision));
        }
      }
      default -> {}
    }
  }

  private void remove(LockRecord lock) {
    if (lock.kind() != Kind.SESSION) {
      store.delete(new Key.Lock(lock.host()));
      return;
    }
    Key.Session key = new Key.Session(lock.id());
    List<LockRecord> stay =
        replica.release(lock.id()).orElseThrow().lock().value().held().stream()
            .filter(other -> !other.host().equals(lock.host()))
            .toList();
    if (stay.isEmpty()) {
      store.delete(key);
    } else {
      store.put(key, new SessionLock.Held(stay));
    }
  }

  private void grant(GrantorDecision.GrantCandidate grant) {
    Candidate candidate = grant.candidate();
    wanted.removeIf(one -> one.ticketId().equals(candidate.ticketId()));
    grant.ticket().ifPresent(this::leave);
    store.lock(Grants.batch(candidate, new Proposal("g" + store.revision, 1, store.revision)));
  }

  private void leave(Ticket ticket) {
    store.delete(new Key.Ticket(ticket.id(), ticket.index()));
    store.delete(new Key.Passed(ticket.id()));
  }
}
