package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Wall clocks that jump: whoever waits and lives keeps its place, and whoever holds its host. */
@Tag("stack")
class JumpingClockTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final EtcdLocks locks = etcdTestBed.grantor();

  @BeforeEach
  void hostIsTaken() {
    EtcdTestBed.take(locks, "t1", "h1");
  }

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void waiterKeepsItsPlaceWhereverTheClocksOfServersJump() {
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), LONG);
    clockJumps(Duration.ofHours(2));
    clockJumps(Duration.ofHours(-2));
    locks.desk().renew("t2");
    clockJumps(Duration.ZERO);

    isServedNext("t2");
  }

  @Test
  void pollingClientKeepsItsPlaceWhateverTheClockAndIsGrantedOnceClocksAgree() {
    String id = locks.polled().enter("h1", "fl-", one -> EtcdTestBed.polled(one, 60, "h1"));
    clockJumps(Duration.ofHours(2));
    polls(id);
    locks.desk().leave("t1", "kernel-team", "done");
    Await.until("it is told why it waits", () -> whyItWaits(id).contains("clocks of the servers"));

    clockJumps(Ticket.CLOCKS_APART_MAX);
    polls(id);

    isServed(id);
  }

  private void polls(String id) {
    Instant now = Instant.now();
    locks.polled().ask(id, now.plus(LONG), now.plusSeconds(9));
  }

  private String whyItWaits(String id) {
    return locks.desk().find(id).orElseThrow() instanceof RequestStatus.Waiting waiting
        ? waiting.reason()
        : "";
  }

  /** While its rollout backs off; the clock of the next grantor may be ahead as well. */
  @Test
  void placeOfABatchIsKeptWhereverTheClockOfTheGrantorJumps() {
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("it has a place", () -> waits("c1"));
    etcdTestBed.candidates.pause("c1");
    clockJumps(Duration.ofHours(1));
    assertThat(waits("c1")).isTrue();
    locks.close();

    EtcdLocks next = etcdTestBed.grantor();
    etcdTestBed.ahead = Duration.ofHours(2);
    next.desk().submit(EtcdTestBed.ticket("later", Mode.WAIT, "h1"), LONG);
    etcdTestBed.candidates.want("c1", "h1");
    next.poke();
    next.desk().leave("t1", "kernel-team", "done");
    Await.until("it is served", () -> etcdTestBed.candidates.committed.containsKey("g1"));
  }

  private boolean waits(String id) {
    return locks.holds().table().tickets().stream().anyMatch(ticket -> ticket.id().equals(id));
  }

  /** A report that the host is well is there: whatever is noted as overdue goes at once. */
  @Test
  void holdWithAMaximumIsNeitherEndedNorNotedByAJump() {
    hold(Duration.ofHours(1));
    clockJumps(Duration.ofHours(2));
    clockJumps(Duration.ofHours(-2));
    clockJumps(Duration.ZERO);

    assertThat(EtcdTestBed.has(locks, "m-1", "h2")).as("somebody works there").isTrue();
    assertThat(locks.holds().table().ended()).doesNotContainKey("h2");
  }

  @Test
  void holdIsVerifiedAfterItsMaximumHoweverFarBehindTheClockIs() {
    hold(Duration.ofSeconds(1));
    clockJumps(Duration.ofHours(-2));
    Await.until("it is verified", () -> locks.lockOn("h2").isEmpty());
  }

  private void hold(Duration maximum) {
    Ticket ticket = EtcdTestBed.polled("m-1", 60, "h2").lasting((int) maximum.toSeconds());
    locks.polled().submit(ticket.asking(Optional.of(ticket.pollDeadline())));
    Await.until("it is granted", () -> EtcdTestBed.has(locks, "m-1", "h2"));
  }

  /** And the grantor has looked at everything since. */
  private void clockJumps(Duration ahead) {
    etcdTestBed.ahead = ahead;
    String host = "h" + ahead;
    locks.desk().submit(EtcdTestBed.ticket("at" + ahead, Mode.WAIT, host), LONG);
    locks.poke();
    Await.until("the grantor looked", () -> locks.lockOn(host).isPresent());
  }

  private void isServedNext(String id) {
    assertThat(locks.desk().find(id).orElseThrow()).isInstanceOf(RequestStatus.Waiting.class);
    locks.desk().leave("t1", "kernel-team", "done");
    isServed(id);
  }

  private void isServed(String id) {
    Await.until("it is served", () -> EtcdTestBed.has(locks, id, "h1"));
  }
}
