package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.testkit.Fleet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Drain whose consumer fell silent is claimed again only on a fresh verdict. */
@Tag("stack")
class DrainAgainTest extends BoardFixture {
  private static final List<String> BOTH = List.of("scheduler/static", "host/PackageUpdate");

  @Test
  void asksForANewCheckBeforeAnotherAttempt() {
    String job = silentDrain("again");
    opened(job, 31);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    assertThat(claimable(TOPICS)).noneMatch(of(job));
    fleet.decide(grantOf(job), Fleet.GRANT);
    assertThat(granted(job).attempt()).isEqualTo(2);
  }

  @Test
  void recoversTheHostWhenTheNewCheckSaysHold() {
    String job = silentDrain("again-held");
    String grant = grantOf(job);
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    fleet.decide(grant, Fleet.WAIT);
    assertThat(turnedBack(grant)).startsWith("Requeued: ");
    assertThat(state(job)).isEqualTo("Cancelled");
    String recover = rows.job(grant, JobStep.Recover);
    ClaimResult.Granted claim = granted(recover);
    long mark = fleet.mark();
    board.complete(recover, claim.secret(), read("again-held", mark), ADAPTER);
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(fleet.rows.batch(grant).end()).isEqualTo("Requeued");
  }

  @Test
  void aDrainThatFellSilentAfterTheTurnIsNotGivenAwayAgain() {
    String job = fleet.drainPublished("turned");
    String grant = grantOf(job);
    granted(job);
    rows.goesBack("turned", grant);
    fleet.workAsIf.givenBack(job);
    assertThat(claimable(BOTH)).noneMatch(of(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.GRANT_NOT_ALIVE);
    fleet.drive(grant);
    assertThat(state(job)).isEqualTo("Cancelled");
    assertThat(claimable(TOPICS)).anyMatch(of(rows.job(grant, JobStep.Recover)));
  }

  @Test
  void theAgeOfAVerdictCountsFromItsAsking() {
    String job = fleet.drainPublished("asked-long-ago");
    String grant = grantOf(job);
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    fleet.workAsIf.asked(grant, 31);
    fleet.decide(grant, Fleet.GRANT);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    fleet.workAsIf.asked(grant, 20);
    fleet.decide(grant, Fleet.GRANT);
    granted(job);
  }

  @Test
  void aDrainWithoutAVerdictGoesBack() {
    String job = fleet.drainPublished("no-verdict-drain");
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    fleet.workAsIf.asked(grantOf(job), 170);
    assertThat(turnedBack(grantOf(job))).isEqualTo("Drain");
    fleet.workAsIf.asked(grantOf(job), 181);
    assertThat(turnedBack(grantOf(job))).isEqualTo("Requeued: no verdict within 3 minutes");
  }

  private static String silentDrain(String host) {
    String job = fleet.drainPublished(host);
    granted(job);
    fleet.workAsIf.givenBack(job);
    return job;
  }
}
