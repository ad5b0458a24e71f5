package dev.drydock.orchestrator.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutOriginKind;
import dev.drydock.api.RolloutRequest;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.Seniority;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.proto.client.CallException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands over the public API, on a room with real PostgreSQL and Temporal. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class RolloutControlTest {
  private final Harbour harbour = new Harbour();

  @AfterEach
  void close() {
    harbour.close();
  }

  @Test
  void noHostOfAPausedRolloutBeginsAndThoseInProgressGoOn() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("a1", "a2");
    Candidate begun = harbour.candidates().pending(List.of(), 10).getFirst();
    Candidate known = harbour.candidates().pending(List.of(), 10).getLast();
    commit(begun);
    assertThat(harbour.client().pauseRollout(rollout, "look at a1").getState())
        .isEqualTo(RolloutState.Paused);
    assertThat(harbour.candidates().pending(List.of(), 10)).isEmpty();
    assertThat(harbour.candidates().propose(known, Fleet.GRANT))
        .as("a grantor that was offered it before the pause")
        .isEmpty();
    assertThat(harbour.candidates().idle()).as("its hosts may come back at any moment").isFalse();
    harbour.startWorld();
    harbour.until(() -> harbour.host(rollout, "a1").getState() == HostUpgradeState.Upgraded);
    assertThat(harbour.host(rollout, "a2").getState()).isEqualTo(HostUpgradeState.Pending);
    Rollout paused = harbour.client().rollout(rollout);
    assertThat(paused.getStateBy()).isEqualTo("all");
    assertThat(paused.getStateReason()).isEqualTo("look at a1");

    harbour.client().resumeRollout(rollout, "a1 is well");
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
  }

  /** Its first answer was lost, or somebody clicked twice. */
  @Test
  void resumingARolloutThatRunsForgetsNoFailure() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("v1");
    Optional<Instant> first = countedFrom(rollout);
    harbour.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).isEqualTo(first);

    harbour.client().pauseRollout(rollout, "");
    harbour.client().resumeRollout(rollout, "");
    Optional<Instant> resumed = countedFrom(rollout);
    assertThat(resumed).as("the control: people have looked").isNotEqualTo(first);
    harbour.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).isEqualTo(resumed);

    haltACohort(rollout);
    harbour.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).as("the control: of a cohort").isNotEqualTo(resumed);
  }

  private void haltACohort(String rollout) {
    harbour.fleet().asIf.halted(rollout, "bad");
  }

  private Optional<Instant> countedFrom(String rollout) {
    return harbour.rows().rollout(rollout).countedFrom();
  }

  /** Of a paused rollout nobody looks whether too many failed: who joins is held as it joins. */
  @Test
  void whoJoinsAHaltedCohortNeverBegins() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("w1");
    harbour.client().pauseRollout(rollout, "");
    haltACohort(rollout);
    harbour.fleet().host("w2");
    harbour.fleet().execute("UPDATE hosts SET hardware_class = 'bad' WHERE name = 'w2'");
    harbour.client().addHosts(rollout, List.of("w2"), "");
    assertThat(harbour.rows().host("w2").waitsFor()).containsExactly("halt:web/bad/web");
    assertThat(harbour.host(rollout, "w2").getReason())
        .isEqualTo("rollout " + rollout + " is paused by all");
  }

  @Test
  void whoWaitedInTheQueueStandsThereAgainAfterAPause() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("k1", "k2");
    Candidate first = harbour.candidates().pending(List.of(), 10).getFirst();
    harbour.fleet().holds.queue(Grants.placeOf(first, 0, Instant.MAX).at(77));
    harbour.client().pauseRollout(rollout, "");
    harbour.until(() -> harbour.rows().host("k1").age().equals(Optional.of(77L)));
    harbour.client().resumeRollout(rollout, "");
    assertThat(harbour.candidates().pending(List.of(), 10))
        .extracting(Candidate::hosts, Candidate::seniority)
        .containsExactly(
            tuple(List.of("k1"), Optional.of(new Seniority(77, 0))),
            tuple(List.of("k2"), Optional.empty()));
  }

  /** A batch is sent back from wherever it is; what was done is undone, and nothing else is. */
  @ParameterizedTest
  @CsvSource({
    "Freeze, 'Freeze'",
    "Drain, 'Freeze,Unfreeze'",
    "Update, 'Freeze,Drain,Recover'",
  })
  void anAbortedBatchIsAsItWasFound(JobStep next, String steps) {
    harbour.start().holdBack(next);
    String host = "b-" + next;
    String rollout = harbour.submit(host, host + "-2");
    harbour.until(() -> harbour.rows().waits(next, host));
    harbour.client().abortRollout(rollout, "wrong release");
    Rollout ended = harbour.ended(rollout);
    assertThat(ended.getState()).isEqualTo(RolloutState.Aborted);
    assertThat(ended.getCancelled()).isEqualTo(2);
    HostUpgrade upgrade = harbour.host(rollout, host);
    assertThat(upgrade.getReason()).isEqualTo("aborted by all: wrong release");
    List<String> expected = next == JobStep.Freeze ? List.of() : List.of(steps.split(","));
    assertThat(harbour.done(host)).containsExactlyElementsOf(expected);
    harbour.until(() -> harbour.locks(host, host + "-2").isEmpty());
  }

  /** The control of the test before: half an update is worse than a whole one. */
  @Test
  @Shows(of = HostUpgradeState.class, states = "Pending", exit = Exit.ABORT, end = "Cancelled")
  void aBatchWhoseUpdateHasBegunGoesOnAndTheOthersOfItsRolloutAreCancelled() {
    harbour.start().holdBack(JobStep.Health);
    String rollout = harbour.submit("c1");
    harbour.until(() -> harbour.rows().waits(JobStep.Health, "c1"));
    harbour.fleet().host("c2");
    harbour.client().pauseRollout(rollout, "");
    harbour.client().addHosts(rollout, List.of("c2"), "one more");
    harbour.client().abortRollout(rollout, "");
    harbour.until(() -> harbour.host(rollout, "c2").getState() == HostUpgradeState.Cancelled);
    assertThat(harbour.client().rollout(rollout).getState()).isEqualTo(RolloutState.Aborting);
    harbour.world().letGo(JobStep.Health);
    Rollout ended = harbour.ended(rollout);
    assertThat(ended.getState()).isEqualTo(RolloutState.Aborted);
    assertThat(harbour.host(rollout, "c1").getState()).isEqualTo(HostUpgradeState.Upgraded);
    assertThat(harbour.host(rollout, "c2").getReason()).isEqualTo("the rollout was aborted by all");
  }

  @Test
  void anAbortBetweenTheTwoStoresOfAGrantBringsItsHostsBackUntouched() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("d1", "d2");
    List<Candidate> pending = harbour.candidates().pending(List.of(), 10);
    String proposed =
        harbour.candidates().propose(pending.getFirst(), Fleet.GRANT).orElseThrow().grantId();
    String lost =
        harbour.candidates().propose(pending.getLast(), Fleet.GRANT).orElseThrow().grantId();
    harbour.client().abortRollout(rollout, "");
    long hold = harbour.fleet().holds.commit(proposed, List.of("d1"));
    harbour.candidates().committed(proposed, hold);
    harbour.candidates().voided(lost, "its grantor is gone");
    harbour.startWorld();
    assertThat(harbour.ended(rollout).getCancelled()).isEqualTo(2);
    assertThat(harbour.done("d1")).isEmpty();
    harbour.until(() -> harbour.locks("d1", "d2").isEmpty());
  }

  @Test
  @Shows(of = RolloutState.class, states = "Aborting", exit = Exit.CRASH, end = "Aborted")
  void aRolloutIsAbortedAlsoIfItsProcessDiesRightAfterTheCommand() {
    harbour.start().holdBack(JobStep.Update);
    String rollout = harbour.submit("e1", "e2");
    harbour.until(() -> harbour.rows().waits(JobStep.Update, "e1"));
    harbour.client().abortRollout(rollout, "");
    harbour.stop();
    harbour.start();
    assertThat(harbour.ended(rollout).getCancelled()).isEqualTo(2);
    assertThat(harbour.done("e1")).containsExactly("Freeze", "Drain", "Recover");
  }

  @Test
  void aCommandThatTheStateDoesNotAllowSaysTheStateAndChangesNothing() {
    harbour.start();
    String rollout = harbour.submit("f1");
    harbour.ended(rollout);
    assertThatThrownBy(() -> harbour.client().pauseRollout(rollout, ""))
        .isInstanceOfSatisfying(
            CallException.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.code()).isEqualTo("ROLLOUT_STATE");
              assertThat(refused).hasMessageContaining(rollout + " is Succeeded");
            });
    assertThatThrownBy(() -> harbour.client().abortRollout(rollout, ""))
        .hasMessageContaining("is Succeeded");
    assertThatThrownBy(() -> harbour.client().retryRollout(rollout, "", "again"))
        .hasMessageContaining("no host of rollout " + rollout + " failed");
    assertThatThrownBy(() -> harbour.client().addHosts(rollout, List.of("f2"), ""))
        .hasMessageContaining("is Succeeded");
    assertThatThrownBy(() -> harbour.client().pauseRollout("r0", "")).hasMessageContaining("r0");
    assertThat(harbour.client().rollout(rollout).getState()).isEqualTo(RolloutState.Succeeded);
  }

  @Test
  void onlyTheHostsThatFailedAreTriedAgain() {
    harbour.start().outcome(JobStep.Drain, JobOutcome.Failed);
    String rollout = harbour.submit("g1");
    harbour.ended(rollout);
    harbour.world().outcome(JobStep.Drain, JobOutcome.Done);
    Rollout retry = harbour.client().retryRollout(rollout, "the balancer is back", "g-again");
    assertThat(Objects.requireNonNull(retry.getOrigin()).getKind())
        .isEqualTo(RolloutOriginKind.Retry);
    assertThat(retry.getOrigin().getRollout()).isEqualTo(rollout);
    assertThat(harbour.client().retryRollout(rollout, "", "g-again").getId())
        .as("the answer was lost, and it was asked again")
        .isEqualTo(retry.getId());
    assertThat(harbour.ended(retry.getId()).getUpgraded()).isEqualTo(1);
    assertThat(harbour.host(rollout, "g1").getState())
        .as("what the first one says stays")
        .isEqualTo(HostUpgradeState.Reverted);
  }

  @Test
  void whatWasUpgradedGoesBackToTheReleaseItHadBefore() {
    harbour.start();
    harbour.fleet().host("h1");
    harbour.fleet().host("h2");
    anEarlierRelease();
    harbour.fleet().execute("UPDATE hosts SET release = '1' WHERE name = 'h1'");
    String rollout = harbour.submitAgain("h1", "h2");
    harbour.ended(rollout);
    assertThatThrownBy(() -> harbour.client().revertRollout(rollout, Optional.empty(), "", "x"))
        .as("nobody knows where h2 came from")
        .hasMessageContaining("[1, unknown]");
    Rollout revert =
        harbour.client().revertRollout(rollout, Optional.of("1"), "2 is slow", "h-back");
    assertThat(revert.getRelease()).isEqualTo("1");
    assertThat(harbour.ended(revert.getId()).getUpgraded()).isEqualTo(2);
    assertThat(harbour.fleet().value("SELECT release FROM hosts WHERE name = 'h1'")).isEqualTo("1");
    assertThat(updates(revert.getId()))
        .isNotEmpty()
        .allMatch(update -> update.says("downgrade").equals("true"));
    assertThat(updates(rollout))
        .isNotEmpty()
        .allMatch(update -> update.says("downgrade").equals("false"));

    Rollout forth = harbour.client().revertRollout(revert.getId(), Optional.empty(), "", "h-forth");
    assertThat(forth.getRelease()).as("now it is known of both").isEqualTo("2");
  }

  /** Release 1. */
  private void anEarlierRelease() {
    harbour
        .fleet()
        .execute(
            """
        INSERT INTO releases (name, spec, created_by)
        SELECT '1', spec || '{"name": "1"}', 'test' FROM releases WHERE name = '2'
        """);
  }

  /** Begun updates are ended also by an abort: a revert before that would leave their hosts. */
  @Test
  void aRevertWaitsForHostsThatMayYetBeUpgraded() {
    harbour.start().holdBack(JobStep.Health, "m2"::equals);
    String rollout = harbour.submit("m1", "m2");
    harbour.until(() -> harbour.host(rollout, "m1").getState() == HostUpgradeState.Upgraded);
    harbour.until(() -> harbour.rows().waits(JobStep.Health, "m2"));
    harbour.fleet().asIf.cameFrom("1");
    anEarlierRelease();
    harbour.client().abortRollout(rollout, "2 is slow");
    assertThatThrownBy(() -> harbour.client().revertRollout(rollout, Optional.empty(), "", "m"))
        .isInstanceOfSatisfying(
            CallException.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.code()).isEqualTo("HOSTS_IN_PROGRESS");
              assertThat(refused).hasMessageContaining("in progress (1): m2;");
            });
    harbour.world().letGo(JobStep.Health);
    harbour.ended(rollout);
    assertThat(harbour.client().revertRollout(rollout, Optional.empty(), "", "m").getHostCount())
        .isEqualTo(2);
  }

  @Test
  void aRevertWaitsAlsoForHostsThatWereOnlyProposedWhenItsRolloutWasPaused() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("n1", "n2");
    Candidate first = harbour.candidates().pending(List.of(), 10).getFirst();
    String proposed = harbour.candidates().propose(first, Fleet.GRANT).orElseThrow().grantId();
    assertThat(harbour.grantState(proposed)).isEqualTo("proposed");
    harbour.client().pauseRollout(rollout, "");
    assertThatThrownBy(() -> harbour.client().revertRollout(rollout, Optional.empty(), "", "n"))
        .hasMessageContaining("in progress (1): " + first.hosts().getFirst() + ";");
  }

  @Test
  void aHostThatWasThoughtToBeOnTheReleaseCameFromAnUnknownOne() {
    harbour.start().outcome(JobStep.Verify, JobOutcome.Failed);
    harbour.fleet().host("l1");
    harbour.fleet().execute("UPDATE hosts SET release = '2' WHERE name = 'l1'");
    String rollout = harbour.submitAgain("l1");
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThatThrownBy(() -> harbour.client().revertRollout(rollout, Optional.empty(), "", "x"))
        .as("back to the release it was just brought to")
        .hasMessageContaining("[unknown]");
  }

  @Test
  @Shows(of = RolloutState.class, states = "Scheduled", exit = Exit.TIME_OUT, end = "Running")
  void aScheduledRolloutBeginsWhenItsTimeHasCome() {
    harbour.start();
    harbour.fleet().host("i1");
    String rollout =
        harbour
            .client()
            .startRollout(
                new RolloutRequest()
                    .setRelease("2")
                    .setHosts(new StringArray("i1"))
                    .setChangeTicket("CHG-7")
                    .setStartAt(System.currentTimeMillis() + 3_600_000));
    Rollout scheduled = harbour.client().rollout(rollout);
    assertThat(scheduled.getState()).isEqualTo(RolloutState.Scheduled);
    assertThat(scheduled.getChangeTicket()).isEqualTo("CHG-7");
    assertThat(harbour.candidates().pending(List.of(), 10)).isEmpty();
    assertThat(harbour.client().pauseRollout(rollout, "").getState())
        .isEqualTo(RolloutState.Paused);
    assertThat(harbour.client().resumeRollout(rollout, "").getState())
        .isEqualTo(RolloutState.Scheduled);
    harbour.fleet().asIf.theirTimeHasCome();
    assertThat(harbour.ended(rollout).getUpgraded()).isEqualTo(1);
  }

  @Test
  void hostsComeAndGoWhileTheyHaveNotBegun() {
    harbour.startWithoutWorld();
    String rollout = harbour.submit("j1", "j2");
    harbour.fleet().host("j3");
    Rollout more = harbour.client().addHosts(rollout, List.of("j3", "j1"), "bought since");
    assertThat(more.getHostCount()).isEqualTo(3);
    assertThat(harbour.client().addHosts(rollout, List.of("j3"), "").getHostCount()).isEqualTo(3);
    assertThatThrownBy(() -> harbour.client().addHosts(rollout, List.of("j4"), ""))
        .hasMessageContaining("1 fault");
    commit(harbour.candidates().pending(List.of(), 10).getFirst());
    assertThatThrownBy(() -> harbour.client().removeHosts(rollout, List.of("j2", "j1", "j9"), ""))
        .hasMessageContaining("j1 (InProgress), j9 (not in it)");
    assertThat(harbour.host(rollout, "j2").getState())
        .as("all or none")
        .isEqualTo(HostUpgradeState.Pending);
    harbour.client().removeHosts(rollout, List.of("j2"), "sold");
    assertThat(harbour.host(rollout, "j2").getReason()).isEqualTo("removed by all: sold");
    assertThatThrownBy(() -> harbour.client().addHosts(rollout, List.of("j2"), ""))
        .hasMessageContaining("j2 (Cancelled)");
    harbour.startWorld();
    Rollout ended = harbour.ended(rollout);
    assertThat(List.of(ended.getUpgraded(), ended.getCancelled())).containsExactly(2, 1);
  }

  private void commit(Candidate candidate) {
    String grant = harbour.candidates().propose(candidate, Fleet.GRANT).orElseThrow().grantId();
    harbour.candidates().committed(grant, harbour.fleet().holds.commit(grant, candidate.hosts()));
  }

  private List<Row.Job> updates(String rollout) {
    return harbour.rows().jobs().stream()
        .filter(job -> job.step() == JobStep.Update && job.says("rollout").equals(rollout))
        .toList();
  }
}
