package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.proposed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.Holds.Settled;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoreSnapshot;
import dev.drydock.lock.core.txn.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sweeper undoes a proposal while the grantor commits it: exactly one wins (protocol P5). */
@Tag("stack")
class VoidRaceTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void sweeperFirst_theGrantNeverHappens() throws Exception {
    Interference interference = new Interference().pausingAt("grant");
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();

    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "proposed too long"))
        .isEqualTo(new Settled.Voided());
    interference.resume.countDown();

    Await.until("granted anew", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    assertThat(etcdTestBed.candidates.voided).containsExactly("g1");
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("g2");
  }

  @Test
  void grantorFirst_theSweeperLearnsTheRevision() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "proposed too long"))
        .isEqualTo(new Settled.Committed(locks.lockOn("h1").orElseThrow().token()));
    assertThat(locks.lockOn("h1")).isPresent();
  }

  /** After a failover that lost rows an id is given out a second time. */
  @Test
  void anotherGrantUnderTheSameIdIsNoCommitOfThisOne() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    Settled otherHosts =
        locks.holds().voidGrant(new Holds.Proposed("g1", List.of("h9"), 1), "test");
    Settled otherBeat = locks.holds().voidGrant(new Holds.Proposed("g1", List.of("h1"), 7), "test");
    assertThat(List.of(otherHosts, otherBeat)).containsOnly(new Settled.Voided());
    assertThat(locks.lockOn("h1")).as("nothing is taken from who has it").isPresent();
  }

  @Test
  void manyRaces_exactlyOneWinsEach() throws Exception {
    EtcdLocks locks = etcdTestBed.open();
    int granted = 0;
    for (int i = 0; i < 40; i++) {
      String id = "g" + i;
      String host = "h" + i;
      Transaction grant = grant(id, host);
      try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
        var commits = both.submit(() -> etcdTestBed.direct().commit(grant).isSucceeded());
        Callable<Settled> sweep = () -> locks.holds().voidGrant(proposed(id, host), "test");
        boolean voided = both.submit(sweep).get() instanceof Settled.Voided;
        assertThat(voided).as("void and grant of %s", id).isNotEqualTo(commits.get());
        assertThat(locks.lockOn(host).isPresent()).isEqualTo(commits.get());
        granted += commits.get() ? 1 : 0;
      }
    }
    System.out.println("the grant won " + granted + " of 40 races");
  }

  @Test
  void controlWithoutTheCompareBothWin() {
    EtcdLocks locks = etcdTestBed.open();
    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "test"))
        .isInstanceOf(Settled.Voided.class);

    // The same puts without comparing grants/<id>: the host is locked by a grant its rollout was
    // told is void.
    Key.Lock h1 = new Key.Lock("h1");
    Transaction careless =
        Transaction.named("grant")
            .ifAbsent(h1)
            .put(h1, Grants.batch(candidate("h1"), new Proposal("g1", 1, 1)).getFirst())
            .build();

    assertThat(etcdTestBed.direct().commit(careless).isSucceeded()).isTrue();
    assertThat(locks.holds().find("g1")).hasSize(1);
    assertThat(etcdTestBed.direct().commit(grant("g1", "h2")).isSucceeded()).isFalse();
  }

  private Transaction grant(String id, String host) {
    StoreSnapshot storeSnapshot = StoreSnapshot.of(0, List.of());
    return new GrantTransactions(storeSnapshot)
        .grant(candidate(host), Optional.empty(), new Proposal(id, 1, 1));
  }

  private static Candidate candidate(String host) {
    return new Candidate("c-" + host, "r1", List.of(host), "web-team", "release 2");
  }
}
