package dev.drydock.adapter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LeaseTest {
  private long now = 10_000;
  private final Lease lease = new Lease(() -> now, 10_000, 15);

  @Test
  void countsFromBeforeTheRequest() {
    now = 24_999;
    lease.requireLive();
    now = 25_000;
    assertThatThrownBy(lease::requireLive).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void anAnsweredHeartbeatExtendsIt() {
    now = 15_000;
    lease.extend(14_000, 15);
    now = 28_000;
    assertThat(lease.isLive()).isTrue();
    assertThat(lease.leftMillis()).isEqualTo(1000);
  }

  @Test
  void aLateAnswerOfAnEarlierHeartbeatShortensNothing() {
    now = 16_000;
    lease.extend(15_000, 15);
    lease.extend(12_000, 15);
    assertThat(lease.leftMillis()).isEqualTo(14_000);
  }

  @Test
  void onceLostItStaysLost() {
    now = 25_000;
    lease.extend(24_000, 15);
    assertThat(lease.isLive()).isFalse();
    now = 24_000;
    assertThat(lease.isLive()).isFalse();
  }

  @Test
  void endsAtOnceWhenTheBoardSaysSo() {
    lease.lose();
    assertThat(lease.isLive()).isFalse();
    assertThat(lease.leftMillis()).isZero();
  }

  @Test
  void theClockReadsTimeSinceBootWithSuspend() {
    assertThat(ProcUptimeClock.parse("4183.62 8112.07\n")).isEqualTo(4_183_620);
    ProcUptimeClock clock = new ProcUptimeClock();
    assertThat(clock.millis()).isPositive().isLessThanOrEqualTo(clock.millis());
  }
}
