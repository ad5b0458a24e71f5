package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.proposed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Holds.Settled;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The grantor decides, stands still past its lease, and wakes up to commit what it decided.
 * Meanwhile its successor gave the one host of the budget to somebody else.
 */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class TwoGrantorsTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final Interference interference = new Interference().pausingAt("grant");

  @AfterEach
  void close() {
    interference.resume.countDown();
    etcdTestBed.close();
  }

  @Test
  void lateGrantOfPausedGrantorIsRefused() throws Exception {
    takeOverWhilePaused(true);

    interference.resume.countDown();

    Await.until("the late grant is settled", () -> etcdTestBed.candidates.voided.contains("g1"));
    assertThat(lockedHosts()).containsExactly("h2");
    assertThat(etcdTestBed.candidates.committed).containsOnlyKeys("g2");
  }

  @Test
  void controlWithoutTheCompareOfLeadershipGrantsTwice() throws Exception {
    takeOverWhilePaused(false);

    interference.resume.countDown();

    Await.until(
        "the late grant is committed", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    assertThat(lockedHosts()).as("two hosts of a budget of one").containsExactly("h1", "h2");
  }

  @Test
  void grantJudgedByTheOldRulesIsRefusedAfterThePolicyChanged() throws Exception {
    EtcdLocks locks = etcdTestBed.grantor(interference, EtcdTestBed.atMost(1));
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();

    locks.generation().bump();
    interference.resume.countDown();

    Await.until("judged anew", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    assertThat(etcdTestBed.candidates.voided).containsExactly("g1");
    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "test"))
        .isInstanceOf(Settled.Voided.class);
  }

  private void takeOverWhilePaused(boolean fenced) throws Exception {
    EtcdLocks first = etcdTestBed.open(interference);
    GrantorLoop loop = first.startGrantor(EtcdTestBed.atMost(1), etcdTestBed.candidates, fenced);
    Await.until("the first is elected", first::leads);
    etcdTestBed.candidates.want("c1", "h1");
    first.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    loop.leadership().orElseThrow().pauseRenewal();

    EtcdLocks second = etcdTestBed.grantor(TransactionHook.NONE, EtcdTestBed.atMost(1));
    assertThat(first.leads()).as("the first knows that its lease ran out").isFalse();
    etcdTestBed.candidates.want("c2", "h2");
    second.poke();
    Await.until("the second grants", () -> etcdTestBed.candidates.committed.containsKey("g2"));
  }

  private Set<String> lockedHosts() {
    return new java.util.TreeSet<>(etcdTestBed.open().holds().table().locks().keySet());
  }
}
