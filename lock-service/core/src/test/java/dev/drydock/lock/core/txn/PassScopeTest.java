package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.Prop;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A pass over a scope grants what a pass over everything grants. */
class PassScopeTest {
  private static final int RUNS = 300;

  @Test
  void grantsWhatAPassOverEverythingGrants() {
    Prop.check("scope", RUNS, random -> new ScopeHistory(random, change -> true).run());
  }

  @Test
  void controlScopeThatMissesAChangeGrantsLess() {
    boolean found =
        Prop.finds(
            "grants",
            RUNS,
            random ->
                new ScopeHistory(
                        random,
                        change ->
                            change.now() == null
                                || !(change.now().value() instanceof SessionLock.Over))
                    .run());

    assertThat(found).as("a release that the scope was not told of is missed").isTrue();
  }

  /** A watch that broke skips what happened meanwhile. */
  @Test
  void forgetsWhoLeftWhileNobodyTold() {
    PassScope passScope = new PassScope();
    Store before = new Store(changes -> {});
    before.revision(() -> before.put(new Key.Ticket("t1", 0), waiting("t1", "h1", 2)));
    passScope.decide(Replica.of(2, before.all()), PassScopeTest::allWait);
    passScope.done();
    Store after = new Store(changes -> {});
    after.revision(() -> after.put(new Key.Ticket("t2", 0), waiting("t2", "h1", 2)));
    Replica now = Replica.of(3, after.all());
    passScope.all();
    passScope.decide(now, looked -> List.of());
    passScope.done();

    List<GrantorDecision> decided = passScope.decide(now, PassScopeTest::allWait);

    assertThat(decided).as("nothing changed").isEmpty();
  }

  @Test
  void replicaSaysWhatASnapshotSays() {
    Prop.check(
        "replica",
        RUNS,
        random -> {
          ScopeHistory history = new ScopeHistory(random, change -> true);
          history.run();
          StoreSnapshot read = StoreSnapshot.of(history.store.revision, history.store.all());
          StoreSnapshot kept = history.replica.snapshot();
          assertThat(kept.table()).isEqualTo(read.table());
          assertThat(kept.generation()).isEqualTo(read.generation());
          assertThat(kept.leader()).isEqualTo(read.leader());
          assertThat(kept.alive()).isEqualTo(read.alive());
          assertThat(kept.modified()).isEqualTo(read.modified());
          // Any record of the lock stands for it.
          assertThat(kept.uncounted().stream().map(StoreSnapshot.Uncounted::alive))
              .containsExactlyInAnyOrderElementsOf(
                  read.uncounted().stream().map(StoreSnapshot.Uncounted::alive).toList());
        });
  }

  private static List<GrantorDecision> allWait(Collection<Ticket> looked) {
    return looked.stream()
        .<GrantorDecision>map(ticket -> new GrantorDecision.TicketWaits(ticket, "not yet", false))
        .toList();
  }

  private static Ticket waiting(String id, String host, long revision) {
    return Samples.ticket(id, Mode.WAIT, revision, host);
  }
}
