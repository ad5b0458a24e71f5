package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockDelaysTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final LockRecord LOCK = lock("t1", 7);

  private long seconds;
  private Instant clock = Instant.EPOCH;
  private final LockDelays delays =
      new LockDelays(() -> clock, () -> Duration.ofSeconds(seconds).toNanos());

  @Test
  void isOverOnceALeaseWentBySinceItWasSeen() {
    assertThat(delays.over(List.of(LOCK))).as("never seen").isEmpty();
    seconds = 100;
    delays.look(List.of(LOCK));
    assertThat(delays.next(LONG)).isEqualTo(Duration.ofSeconds(15));
    seconds = 114;
    delays.look(List.of(LOCK));
    assertThat(delays.next(LONG)).isEqualTo(Duration.ofSeconds(1));
    assertThat(delays.over(List.of(LOCK))).isEmpty();
    assertThat(delays.due()).isFalse();
    seconds = 115;
    assertThat(delays.over(List.of(LOCK))).containsExactly("h1");
    assertThat(delays.due()).isTrue();
    assertThat(delays.next(LONG)).as("nothing else").isEqualTo(LONG);
  }

  @Test
  void clockOnTheWallShortensNothing() {
    delays.look(List.of(LOCK));
    clock = clock.plusSeconds(3600);
    seconds = 14;
    assertThat(delays.over(List.of(LOCK))).isEmpty();
    assertThat(delays.until(LOCK)).contains(Instant.EPOCH.plusSeconds(15));
  }

  @Test
  void nextLockOnTheHostIsCountedAnewAndWhatIsGoneIsForgotten() {
    delays.look(List.of(LOCK));
    seconds = 20;
    LockRecord next = lock("t1", 9);
    assertThat(delays.over(List.of(next))).as("another one of the same id").isEmpty();
    delays.look(List.of(next));
    assertThat(delays.over(List.of(next))).isEmpty();
    assertThat(delays.until(LOCK)).isEmpty();
    assertThat(delays.due()).isFalse();
  }

  @Test
  void whoIsBehindMakesNothingBeginAnew() {
    delays.look(List.of(LOCK));
    seconds = 10;
    delays.look(List.of());
    delays.look(List.of(LOCK));
    seconds = 15;
    assertThat(delays.over(List.of(LOCK))).containsExactly("h1");
    delays.look(List.of());
    assertThat(delays.due()).as("it lapsed").isFalse();
  }

  /** Written by a build that did not know of it. */
  @Test
  void lockThatDoesNotSayItsLeaseIsWaitedForTheLongestThereIs() {
    LockRecord old =
        new LockRecord(
            "t1",
            LockRecord.Kind.SESSION,
            LockRecord.Stage.OPEN,
            "h1",
            List.of("h1"),
            List.of(),
            "ann",
            "x",
            java.util.Optional.empty(),
            0,
            0,
            5);
    delays.look(List.of(old));
    seconds = 3599;
    assertThat(delays.over(List.of(old))).isEmpty();
    seconds = 3600;
    assertThat(delays.over(List.of(old))).containsExactly("h1");
  }

  /** A program believes in its lock for what it asked for, and that need not be whole seconds. */
  @Test
  void leaseIsNoShorterThanWhatWasAskedFor() {
    assertThat(EtcdConnection.leaseSeconds(Duration.ofSeconds(2))).isEqualTo(2);
    assertThat(EtcdConnection.leaseSeconds(Duration.ofMillis(2001))).isEqualTo(3);
    assertThat(EtcdConnection.leaseSeconds(Duration.ofMillis(1999))).isEqualTo(2);
    assertThat(EtcdConnection.leaseSeconds(Duration.ZERO)).isEqualTo(1);
  }

  @Test
  void holdIsOverdueOnceItsMaximumWentBySinceItWasSeen() {
    LockRecord hold =
        Grants.foreign(EtcdTestBed.polled("fl-1", 60, "h2").lasting(3600), Instant.EPOCH)
            .getFirst()
            .withToken(8);
    seconds = 100;
    delays.look(List.of(hold));
    clock = clock.plusSeconds(7200);
    seconds = 3699;
    delays.look(List.of(hold));
    assertThat(delays.over(List.of(hold))).as("a clock jumped").isEmpty();
    assertThat(delays.next(LONG)).isEqualTo(Duration.ofSeconds(1));
    seconds = 3700;
    assertThat(delays.over(List.of(hold))).containsExactly("h2");
    assertThat(delays.due()).isTrue();
    delays.look(List.of());
    assertThat(delays.due()).as("it was noted").isFalse();
  }

  @Test
  void holdThatEndedIsForgottenLongBeforeItsMaximum() {
    LockRecord hold =
        Grants.foreign(EtcdTestBed.polled("fl-1", 60, "h2").lasting(600), Instant.EPOCH).getFirst();
    delays.look(List.of(hold));
    assertThat(delays.next(LONG)).isEqualTo(Duration.ofMinutes(10));
    delays.look(List.of());
    assertThat(delays.next(LONG)).isEqualTo(LONG);
  }

  private static LockRecord lock(String id, long token) {
    return Grants.foreign(EtcdTestBed.ticket(id, Mode.WAIT, 15, "h1"), Instant.EPOCH)
        .getFirst()
        .withToken(token);
  }
}
