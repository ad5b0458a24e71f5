package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
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
    assertThat(reason(board.claim(job, "consumer", ADAPTER))).isEqualTo(Claim.Reason.CHECK_STALE);
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
    fleet.decide(grant, Fleet.HOLD);
    assertThat(turnedBack(grant)).isEqualTo("HELD");
    assertThat(state(job)).isEqualTo("Cancelled");
    BatchRun run = fleet.run(grant);
    fleet.activities.pursue(run, Phase.UNDO);
    String recover = grant + ".Recover.again-held.2";
    Claim.Granted claim = granted(recover);
    long mark = fleet.mark();
    board.complete(recover, claim.secret(), read("again-held", mark), ADAPTER);
    assertThat(fleet.activities.pursue(run, Phase.UNDO).status().name()).isEqualTo("DONE");
    fleet.activities.recordEnd(run);
    assertThat(fleet.value("SELECT end_state FROM grants WHERE id = '" + grant + "'"))
        .isEqualTo("Held");
  }

  @Test
  void aDrainThatFellSilentAfterTheTurnIsNotGivenAwayAgain() {
    String job = fleet.drainPublished("turned");
    String grant = grantOf(job);
    granted(job);
    fleet.execute("UPDATE grants SET undo = 'Reverted' WHERE id = '" + grant + "'");
    pendingAgain(job);
    assertThat(claimable(BOTH)).noneMatch(of(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(Claim.Reason.GRANT_NOT_ALIVE);
    fleet.activities.pursue(fleet.run(grant), Phase.UNDO);
    assertThat(state(job)).isEqualTo("Cancelled");
    assertThat(claimable(TOPICS)).anyMatch(of(grant + ".Recover.turned.2"));
  }

  @Test
  void theAgeOfAVerdictCountsFromItsAsking() {
    String job = fleet.drainPublished("asked-long-ago");
    String grant = grantOf(job);
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    asked(grant, 31);
    fleet.decide(grant, Fleet.GRANT);
    assertThat(reason(board.claim(job, "consumer", ADAPTER))).isEqualTo(Claim.Reason.CHECK_STALE);
    asked(grant, 20);
    fleet.decide(grant, Fleet.GRANT);
    granted(job);
  }

  @Test
  void aBatchWithoutAVerdictGoesBack() {
    String grant = fleet.granted("no-verdict");
    BatchRun run = fleet.run(grant);
    fleet.activities.pursue(run, Phase.CONFIRM);
    asked(grant, 170);
    assertThat(fleet.activities.pursue(run, Phase.CONFIRM).status().name()).isEqualTo("WAITING");
    asked(grant, 181);
    assertThat(fleet.activities.pursue(run, Phase.CONFIRM))
        .hasToString("Progress[status=HELD, reason=no verdict within 3 minutes, hooked=false]");
  }

  @Test
  void aDrainWithoutAVerdictGoesBack() {
    String job = fleet.drainPublished("no-verdict-drain");
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    asked(grantOf(job), 181);
    assertThat(turnedBack(grantOf(job))).isEqualTo("HELD");
  }

  private static String silentDrain(String host) {
    String job = fleet.drainPublished(host);
    granted(job);
    pendingAgain(job);
    return job;
  }

  private static void pendingAgain(String job) {
    fleet.execute(
        "UPDATE jobs SET state = 'Pending', claim = NULL, lease_until = NULL WHERE id = '%s'"
            .formatted(job));
  }

  /** As if the open checks of the grant had been asked for that long ago. */
  private static void asked(String grant, int secondsAgo) {
    fleet.execute(
        """
        UPDATE checks SET created_at = clock_timestamp() - interval '%d s'
        WHERE grant_id = '%s' AND state = 'requested'
        """
            .formatted(secondsAgo, grant));
  }
}
