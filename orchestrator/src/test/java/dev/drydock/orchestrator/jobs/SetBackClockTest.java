package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The clock of the database is set back, or a server takes over whose clock is behind: what was
 * told before looks younger than it is, and lets no drain begin.
 */
@Tag("stack")
class SetBackClockTest extends BoardFixture {

  @Test
  void anOpenVerdictFromTheFutureIsNotFresh() {
    String job = fleet.drainPublished("from-the-future");
    opened(job, -60);
    refusedUntilDecidedAnew(job);
  }

  @Test
  void theClockIsNotBelievedBeforeItIsAsFarAsItWasSeenToBe() {
    String job = fleet.drainPublished("set-back");
    board.expire();
    setBack(600);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    board.expire();
    fleet.decide(grantOf(job), Fleet.GRANT);
    // That was asked for before anybody knew that the clock was set back.
    refusedUntilDecidedAnew(job);
  }

  @Test
  void whatWasToldBeforeStaysOldWhenTheClockHasComeAsFarAgain() {
    String job = fleet.drainPublished("as-far-again");
    board.expire();
    setBack(600);
    board.expire();
    opened(job, 1);
    refusedUntilDecidedAnew(job);
  }

  /** The control: a clock that only goes on lets the same verdict pass. */
  @Test
  void aClockThatGoesOnLetsTheVerdictPass() {
    String job = fleet.drainPublished("goes-on");
    board.expire();
    away(20);
    board.expire();
    opened(job, 1);
    granted(job);
  }

  private static void refusedUntilDecidedAnew(String job) {
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    fleet.decide(grantOf(job), Fleet.GRANT);
    granted(job);
  }
}
