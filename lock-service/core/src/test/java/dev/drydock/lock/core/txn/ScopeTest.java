package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Prop;
import dev.drydock.lock.core.SessionIds;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A pass over a scope grants what a pass over everything grants. */
class ScopeTest {
  private static final int RUNS = 300;
  private static final int STEPS = 60;

  @Test
  void grantsWhatAPassOverEverythingGrants() {
    Prop.check("scope", RUNS, random -> new History(random, change -> true).run());
  }

  @Test
  void controlScopeThatMissesAChangeGrantsLess() {
    boolean found =
        Prop.finds(
            "grants",
            RUNS,
            random ->
                new History(
                        random,
                        change -> !(change.key() instanceof Key.Lock && change.now() == null))
                    .run());

    assertThat(found).as("a release that the scope was not told of is missed").isTrue();
  }

  /** A watch that broke skips what happened meanwhile. */
  @Test
  void forgetsWhoLeftWhileNobodyTold() {
    Scope scope = new Scope();
    Store before = new Store(changes -> {});
    before.revision(() -> before.put(new Key.Ticket("t1", 0), waiting("t1", "h1", 2)));
    scope.decide(Replica.of(2, before.all()), ScopeTest::allWait);
    scope.done();
    Store after = new Store(changes -> {});
    after.revision(() -> after.put(new Key.Ticket("t2", 0), waiting("t2", "h1", 2)));
    Replica now = Replica.of(3, after.all());
    scope.all();
    scope.decide(now, looked -> List.of());
    scope.done();

    List<Decision> decided = scope.decide(now, ScopeTest::allWait);

    assertThat(decided).as("nothing changed").isEmpty();
  }

  /**
   * Of those who wait on a free host not all are looked at: whoever walks in is not before them.
   */
  @Test
  void nobodyWalksInWhereSomebodyWaits() {
    Scope scope = new Scope();
    Store store = new Store(changes -> {});
    store.revision(() -> store.put(new Key.Ticket("t1", 0), waiting("t1", "h1", 2)));
    Replica replica = Replica.of(2, store.all());
    Ticket behind = waiting("w1", "h1", 0).walkingIn(1);
    Ticket alone = waiting("w2", "h2", 0).walkingIn(2);

    assertThat(scope.visit(replica, List.of(behind, alone))).containsExactly(alone);
  }

  @Test
  void whoWalksInIsDecidedAboutAlthoughNothingChanged() {
    Scope scope = new Scope();
    Replica replica = Replica.of(2, List.of());
    scope.decide(replica, looked -> List.of());
    scope.done();
    Decision decision = new Decision.TicketWaits(waiting("w1", "h1", 0), "", false);
    assertThat(scope.decide(replica, looked -> List.of(decision))).isEmpty();

    scope.visit(replica, List.of(waiting("w1", "h1", 0).walkingIn(1)));

    assertThat(scope.decide(replica, looked -> List.of(decision))).containsExactly(decision);
  }

  private static List<Decision> allWait(Collection<Ticket> looked) {
    return looked.stream()
        .<Decision>map(ticket -> new Decision.TicketWaits(ticket, "not yet", false))
        .toList();
  }

  private static Ticket waiting(String id, String host, long revision) {
    return new Ticket(
        id,
        Mode.WAIT,
        List.of(host),
        List.of(),
        "team",
        "why",
        Instant.EPOCH,
        60,
        10,
        Optional.empty(),
        revision,
        0,
        Optional.empty());
  }

  @Test
  void replicaSaysWhatASnapshotSays() {
    Prop.check(
        "replica",
        RUNS,
        random -> {
          History history = new History(random, change -> true);
          history.run();
          Snapshot read = Snapshot.of(history.store.revision, history.store.all());
          Snapshot kept = history.replica.snapshot();
          assertThat(kept.table()).isEqualTo(read.table());
          assertThat(kept.generation()).isEqualTo(read.generation());
          assertThat(kept.leader()).isEqualTo(read.leader());
          assertThat(kept.alive()).isEqualTo(read.alive());
          assertThat(kept.modified()).isEqualTo(read.modified());
          // Any record of the lock stands for it.
          assertThat(kept.uncounted().stream().map(Snapshot.Uncounted::alive))
              .containsExactlyInAnyOrderElementsOf(
                  read.uncounted().stream().map(Snapshot.Uncounted::alive).toList());
        });
  }

  /** Clients, deaths, holds and time at random; after each some passes of the grantor. */
  private static final class History {
    private static final List<String> HOSTS = List.of("h1", "h2", "h3", "h4", "h5", "h6");

    final Replica replica = new Replica();
    final Store store;
    private final Random random;
    private final Scope scope = new Scope();
    private final Admission.Round round;
    private final List<Candidate> wanted = new ArrayList<>();
    private final List<Check> asked = new ArrayList<>();
    private boolean rolloutsRan;
    private Instant now = Instant.EPOCH;
    private int tickets;

    History(Random random, Predicate<Change> told) {
      this.random = random;
      store =
          new Store(
              changes -> {
                changes.stream().filter(told).forEach(change -> scope.note(replica, change));
                replica.apply(this.store().revision, changes);
              });
      int budget = 1 + random.nextInt(HOSTS.size() + 2);
      round = (hosts, applications, held) -> judge(budget, hosts, held);
    }

    private Store store() {
      return store;
    }

    private static Verdict judge(
        int budget, Collection<String> hosts, Collection<LockRecord> held) {
      Set<String> down = new HashSet<>(hosts);
      held.forEach(lock -> down.add(lock.host()));
      return new Verdict(
          hosts.size() > budget
              ? Verdict.Decision.REFUSE
              : down.size() <= budget ? Verdict.Decision.GRANT : Verdict.Decision.HOLD,
          down.size() + " of " + budget,
          List.of());
    }

    void run() {
      store.revision(() -> store.put(new Key.Alive("p"), new Alive(false, 15)));
      for (int step = 0; step < STEPS; step++) {
        store.revision(this::something);
        if (random.nextInt(3) > 0) {
          decideBothWays();
        }
      }
    }

    private void something() {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4 -> enqueue();
        case 12, 13 -> rollouts();
        case 5, 6, 7 -> any(locks(Kind.SESSION)).ifPresent(this::release);
        case 8 -> anyAlive().ifPresent(id -> store.delete(new Key.Alive(id)));
        case 9 -> hold();
        case 10 -> {
          now = now.plusSeconds(random.nextInt(20));
          scope.all(); // what the interval is for
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
      boolean shared = random.nextBoolean() && store.everything.containsKey(new Key.Alive("p"));
      String id = shared ? SessionIds.ticket("p", ++tickets) : "t" + ++tickets;
      Mode mode = mode();
      if (!shared && mode != Mode.CANDIDATE) {
        store.put(new Key.Alive(id), new Alive(true, 10));
      }
      store.put(
          new Key.Ticket(id, 0),
          new Ticket(
              id,
              mode,
              someHosts(),
              List.of(),
              "team",
              "why",
              now.plusSeconds(10 + random.nextInt(60)),
              60,
              10,
              Optional.empty(),
              store.revision,
              0,
              Optional.empty(),
              random.nextBoolean() ? 1 + random.nextInt(90) : 0,
              false,
              random.nextBoolean() ? Optional.of(now.plusSeconds(30)) : Optional.empty()));
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
      if (!SessionIds.shared(lock.id())) {
        store.delete(new Key.Alive(lock.id()));
      }
      replica.locksOf(lock.id()).forEach(each -> store.delete(new Key.Lock(each.host())));
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

    private void decideBothWays() {
      boolean run = !wanted.isEmpty() || !asked.isEmpty();
      if (run || rolloutsRan) {
        scope.all();
      }
      rolloutsRan = run;
      List<Decision> whole = pass(replica.waiters().all());
      List<Decision> scoped = scope.decide(replica, this::pass);

      assertThat(grants(scoped))
          .as("grants of %s", replica.waiters().all())
          .isEqualTo(grants(whole));
      assertThat(refusals(scoped)).as("refusals").isEqualTo(refusals(whole));
      assertThat(clocks(whole)).as("clocks").containsAll(clocks(scoped));
      assertThat(ofRollouts(scoped)).as("of rollouts").isEqualTo(ofRollouts(whole));
      carryOut(scoped);
    }

    private List<Decision> pass(Collection<Ticket> looked) {
      LockTable table = replica.snapshot(looked).table();
      return GrantorPass.decide(
          new GrantorPass.Input(table, wanted, asked, now),
          round,
          new GrantorPass.Limits(
              32,
              64,
              1000,
              Duration.ofMinutes(5),
              new Backfill(Duration.ofSeconds(60), Duration.ofSeconds(2))));
    }

    private static List<String> grants(List<Decision> decisions) {
      return decisions.stream()
          .filter(Decision.GrantTicket.class::isInstance)
          .map(decision -> ((Decision.GrantTicket) decision).ticket().id())
          .toList();
    }

    private static List<Decision> clocks(List<Decision> decisions) {
      return decisions.stream().filter(Decision.SetClock.class::isInstance).toList();
    }

    private static List<String> refusals(List<Decision> decisions) {
      return decisions.stream()
          .filter(Decision.TurnAway.class::isInstance)
          .map(decision -> ((Decision.TurnAway) decision).ticket())
          .filter(ticket -> ticket.mode() == Mode.TRY)
          .map(Ticket::id)
          .toList();
    }

    private static List<Decision> ofRollouts(List<Decision> decisions) {
      return decisions.stream()
          .filter(
              decision ->
                  decision instanceof Decision.GrantCandidate
                      || decision instanceof Decision.JudgeCheck
                      || decision instanceof Decision.Enqueue)
          .toList();
    }

    /** All of it, or the first few, as when something came in between. */
    private void carryOut(List<Decision> decisions) {
      boolean all = random.nextInt(4) > 0;
      List<Decision> carried =
          all ? decisions : decisions.subList(0, random.nextInt(decisions.size() + 1));
      if (all) {
        scope.done();
      }
      for (Decision decision : new ArrayList<>(carried)) {
        store.revision(() -> carryOut(decision));
      }
    }

    private void carryOut(Decision decision) {
      switch (decision) {
        case Decision.RemoveLapsed(LockRecord lock, String reason) ->
            store.delete(new Key.Lock(lock.host()));
        case Decision.TurnAway(Ticket ticket, String reason) -> leave(ticket);
        case Decision.SetClock(Ticket ticket, var clock) ->
            store.put(new Key.Passed(ticket.id()), clock);
        case Decision.GrantTicket grant -> {
          leave(grant.ticket());
          Grants.foreign(grant.ticket(), now)
              .forEach(
                  lock -> store.put(new Key.Lock(lock.host()), lock.withToken(store.revision)));
        }
        case Decision.GrantCandidate grant -> grant(grant);
        case Decision.JudgeCheck judged -> {
          asked.remove(judged.check());
          judged.hold().forEach(lock -> store.put(new Key.Lock(lock.host()), lock));
        }
        case Decision.Enqueue(List<Candidate> candidates) -> {
          for (int i = 0; i < candidates.size(); i++) {
            Ticket place = Grants.placeOf(candidates.get(i), i, now.plusSeconds(600));
            store.put(new Key.Ticket(place.id(), i), place.at(store.revision));
          }
        }
        default -> {}
      }
    }

    private void grant(Decision.GrantCandidate grant) {
      Candidate candidate = grant.candidate();
      wanted.removeIf(one -> one.ticketId().equals(candidate.ticketId()));
      grant.ticket().ifPresent(this::leave);
      Grants.batch(candidate, new Proposal("g" + store.revision, 1, store.revision))
          .forEach(lock -> store.put(new Key.Lock(lock.host()), lock.withToken(store.revision)));
    }

    private void leave(Ticket ticket) {
      store.delete(new Key.Ticket(ticket.id(), ticket.index()));
      store.delete(new Key.Passed(ticket.id()));
    }
  }
}
