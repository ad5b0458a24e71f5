package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.LockKind;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds that are to be verified, of hosts that nobody sees. */
@Tag("stack")
class OverdueHoldsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Admission NEVER_HEALTHY =
      table ->
          (hosts, applications, held) ->
              new Verdict(Verdict.Decision.GRANT, "nothing is known of what is up", List.of());

  private final LockBench at = new LockBench(NEVER_HEALTHY, Duration.ofSeconds(1));
  private Duration clock = Duration.ZERO;
  private final OverdueHolds overdue =
      new OverdueHolds(at.service.holds(), () -> clock.toNanos(), PATIENCE);

  @AfterEach
  void close() {
    overdue.close();
    at.close();
  }

  @Test
  void aHostNobodySawAfterItsMaximumIsQuarantinedAndStaysSo() {
    LockRecord hold = noted();
    overdue.sweep();
    clock = clock.plus(PATIENCE);
    overdue.sweep();
    assertThat(at.get(hold.id()).getKind()).isEqualTo(LockKind.FleetLock);
    clock = clock.plusNanos(1);
    overdue.sweep();
    assertThat(at.get(hold.id()).getKind()).isEqualTo(LockKind.Quarantine);
    assertThat(reboot())
        .startsWith("409 ")
        .contains("quarantined", "not seen restarted and healthy");
    assertThat(at.fleetLock("/v1/steady-state", "h01")).startsWith("409 ").contains("quarantined");
    assertThat(at.service.hostLock("h01")).isPresent();
  }

  /** Another process, or none, saw the rest. */
  @Test
  void patienceIsCountedFromWhereThisProcessSawThatAMaximumIsOver() {
    LockRecord hold = noted();
    clock = Duration.ofDays(1);
    overdue.sweep();
    assertThat(at.get(hold.id()).getKind()).isEqualTo(LockKind.FleetLock);
  }

  @Test
  void aHoldOfWhichNothingIsNotedIsNotQuarantinedWhateverTheClock() {
    try (LockBench other = new LockBench(NEVER_HEALTHY, Duration.ofHours(1));
        OverdueHolds sweeper =
            new OverdueHolds(other.service.holds(), () -> clock.toNanos(), PATIENCE)) {
      assertThat(other.fleetLock("/v1/pre-reboot", "h01")).isEqualTo("200 {}");
      sweeper.sweep();
      clock = Duration.ofDays(1);
      sweeper.sweep();
      assertThat(other.service.hostLock("h01").orElseThrow().kind())
          .isEqualTo(LockRecord.Kind.FLEETLOCK);
    }
  }

  /** What was seen since its first start would end the hold while it is down for the second. */
  @Test
  void aHostThatIsVerifiedMayNotRebootByTheSameHoldAgain() {
    LockRecord hold = noted();
    assertThat(reboot())
        .startsWith("409 ")
        .contains("failed_lock", "did not reach its steady state within 1 s", "ask again");
    assertThat(at.service.hostLock("h01")).contains(hold);
    assertThat(at.told).as("the start that it is verified by still counts").hasSize(1);
  }

  /** A hold whose maximum is over, as the grantor saw. */
  private LockRecord noted() {
    assertThat(reboot()).isEqualTo("200 {}");
    LockRecord hold = at.service.hostLock("h01").orElseThrow();
    at.until("it is noted", () -> at.service.table().noted(hold));
    return hold;
  }

  private String reboot() {
    return at.fleetLock("/v1/pre-reboot", "h01");
  }
}
