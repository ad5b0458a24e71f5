package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Bench.proposed;
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
  private final Bench bench = new Bench();
  private final Interference interference = new Interference().pausingAt("grant");

  @AfterEach
  void close() {
    interference.resume.countDown();
    bench.close();
  }

  @Test
  void lateGrantOfPausedGrantorIsRefused() throws Exception {
    takeOverWhilePaused(true);

    interference.resume.countDown();

    Await.until("the late grant is settled", () -> bench.candidates.voided.contains("g1"));
    assertThat(lockedHosts()).containsExactly("h2");
    assertThat(bench.candidates.committed).containsOnlyKeys("g2");
  }

  @Test
  void controlWithoutTheCompareOfLeadershipGrantsTwice() throws Exception {
    takeOverWhilePaused(false);

    interference.resume.countDown();

    Await.until("the late grant is committed", () -> bench.candidates.committed.containsKey("g1"));
    assertThat(lockedHosts()).as("two hosts of a budget of one").containsExactly("h1", "h2");
  }

  @Test
  void grantJudgedByTheOldRulesIsRefusedAfterThePolicyChanged() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Bench.atMost(1));
    bench.candidates.want("c1", "h1");
    locks.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();

    locks.generation().bump();
    interference.resume.countDown();

    Await.until("judged anew", () -> bench.candidates.committed.containsKey("g2"));
    assertThat(bench.candidates.voided).containsExactly("g1");
    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "test"))
        .isInstanceOf(Settled.Voided.class);
  }

  private void takeOverWhilePaused(boolean fenced) throws Exception {
    EtcdLocks first = bench.open(interference);
    GrantorLoop loop = first.startGrantor(Bench.atMost(1), bench.candidates, fenced);
    Await.until("the first is elected", first::leads);
    bench.candidates.want("c1", "h1");
    first.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    loop.leadership().orElseThrow().pauseRenewal();

    EtcdLocks second = bench.grantor(TransactionHook.NONE, Bench.atMost(1));
    assertThat(first.leads()).as("the first knows that its lease ran out").isFalse();
    bench.candidates.want("c2", "h2");
    second.poke();
    Await.until("the second grants", () -> bench.candidates.committed.containsKey("g2"));
  }

  private Set<String> lockedHosts() {
    return new java.util.TreeSet<>(bench.open().holds().table().locks().keySet());
  }
}
