package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/** Clients, deaths, holds and time at random; after each some passes of the grantor. */
final class ScopeHistory {
  private static final int STEPS = 60;

  final Replica replica = new Replica();
  final Store store;
  private final Random random;
  private final PassScope passScope = new PassScope();
  private final Admission.Round round;
  private final RandomStoreEvents randomStoreEvents;
  private boolean rolloutsRan;

  ScopeHistory(Random random, Predicate<KeyChange> told) {
    this.random = random;
    store =
        new Store(
            changes -> {
              changes.stream().filter(told).forEach(change -> passScope.note(replica, change));
              replica.apply(this.store().revision, changes);
            });
    int budget = 1 + random.nextInt(RandomStoreEvents.HOSTS.size() + 2);
    round = (hosts, applications, held) -> judge(budget, hosts, held);
    // What is due by the time that passed is what the interval is for.
    randomStoreEvents = new RandomStoreEvents(random, store, replica, passScope::all);
  }

  private Store store() {
    return store;
  }

  private static Verdict judge(int budget, Collection<String> hosts, Collection<LockRecord> held) {
    Set<String> down = new HashSet<>(hosts);
    held.forEach(lock -> down.add(lock.host()));
    return new Verdict(
        hosts.size() > budget
            ? Verdict.Decision.REFUSE
            : down.size() <= budget ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
        down.size() + " of " + budget,
        List.of());
  }

  void run() {
    for (int step = 0; step < STEPS; step++) {
      store.revision(randomStoreEvents::something);
      if (random.nextInt(3) > 0) {
        decideBothWays();
      }
    }
  }

  private void decideBothWays() {
    boolean run = !randomStoreEvents.wanted.isEmpty() || !randomStoreEvents.asked.isEmpty();
    if (run || rolloutsRan) {
      passScope.all();
    }
    rolloutsRan = run;
    List<GrantorDecision> whole = pass(replica.waiters().all());
    List<GrantorDecision> scoped = passScope.decide(replica, this::pass);

    assertThat(grants(scoped)).as("grants of %s", replica.waiters().all()).isEqualTo(grants(whole));
    assertThat(refusals(scoped)).as("refusals").isEqualTo(refusals(whole));
    assertThat(clocks(whole)).as("clocks").containsAll(clocks(scoped));
    assertThat(ofRollouts(scoped)).as("of rollouts").isEqualTo(ofRollouts(whole));
    carryOut(scoped);
  }

  private List<GrantorDecision> pass(Collection<Ticket> looked) {
    LockTable table = replica.snapshot(looked).table();
    return GrantorPass.decide(
        new GrantorPass.Input(
            table,
            randomStoreEvents.wanted,
            randomStoreEvents.asked,
            randomStoreEvents.now,
            randomStoreEvents.witnessed()),
        round,
        new GrantorPass.Limits(
            32,
            64,
            1000,
            Duration.ofMinutes(5),
            new Backfill(Duration.ofSeconds(60), Duration.ofSeconds(2))));
  }

  private static List<String> grants(List<GrantorDecision> decisions) {
    return decisions.stream()
        .filter(GrantorDecision.GrantTicket.class::isInstance)
        .map(decision -> ((GrantorDecision.GrantTicket) decision).ticket().id())
        .toList();
  }

  private static List<GrantorDecision> clocks(List<GrantorDecision> decisions) {
    return decisions.stream().filter(GrantorDecision.SetClock.class::isInstance).toList();
  }

  private static List<String> refusals(List<GrantorDecision> decisions) {
    return decisions.stream()
        .filter(GrantorDecision.TurnAway.class::isInstance)
        .map(decision -> ((GrantorDecision.TurnAway) decision).ticket())
        .filter(ticket -> ticket.mode() == Mode.TRY)
        .map(Ticket::id)
        .toList();
  }

  private static List<GrantorDecision> ofRollouts(List<GrantorDecision> decisions) {
    return decisions.stream()
        .filter(
            decision ->
                decision instanceof GrantorDecision.GrantCandidate
                    || decision instanceof GrantorDecision.JudgeCheck
                    || decision instanceof GrantorDecision.Enqueue)
        .toList();
  }

  /** All of it, or the first few, as when something came in between. */
  private void carryOut(List<GrantorDecision> decisions) {
    boolean all = random.nextInt(4) > 0;
    List<GrantorDecision> carried =
        all ? decisions : decisions.subList(0, random.nextInt(decisions.size() + 1));
    if (all) {
      passScope.done();
    }
    for (GrantorDecision decision : new ArrayList<>(carried)) {
      store.revision(() -> randomStoreEvents.carryOut(decision));
    }
  }
}
