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
import dev.drydock.orchestrator.testkit.RestartableRoom;
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
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @Test
  void noHostOfAPausedRolloutBeginsAndThoseInProgressGoOn() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("a1", "a2");
    Candidate begun = restartableRoom.candidates().pending(List.of(), 10).getFirst();
    Candidate known = restartableRoom.candidates().pending(List.of(), 10).getLast();
    commit(begun);
    assertThat(restartableRoom.client().pauseRollout(rollout, "look at a1").getState())
        .isEqualTo(RolloutState.Paused);
    assertThat(restartableRoom.candidates().pending(List.of(), 10)).isEmpty();
    assertThat(restartableRoom.candidates().propose(known, Fleet.GRANT))
        .as("a grantor that was offered it before the pause")
        .isEmpty();
    assertThat(restartableRoom.candidates().idle())
        .as("its hosts may come back at any moment")
        .isFalse();
    restartableRoom.startWorld();
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "a1").getState() == HostUpgradeState.Upgraded);
    assertThat(restartableRoom.host(rollout, "a2").getState()).isEqualTo(HostUpgradeState.Pending);
    Rollout paused = restartableRoom.client().rollout(rollout);
    assertThat(paused.getStateBy()).isEqualTo("all");
    assertThat(paused.getStateReason()).isEqualTo("look at a1");

    restartableRoom.client().resumeRollout(rollout, "a1 is well");
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
  }

  /** Its first answer was lost, or somebody clicked twice. */
  @Test
  void resumingARolloutThatRunsForgetsNoFailure() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("v1");
    Optional<Instant> first = countedFrom(rollout);
    restartableRoom.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).isEqualTo(first);

    restartableRoom.client().pauseRollout(rollout, "");
    restartableRoom.client().resumeRollout(rollout, "");
    Optional<Instant> resumed = countedFrom(rollout);
    assertThat(resumed).as("the control: people have looked").isNotEqualTo(first);
    restartableRoom.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).isEqualTo(resumed);

    haltACohort(rollout);
    restartableRoom.client().resumeRollout(rollout, "");
    assertThat(countedFrom(rollout)).as("the control: of a cohort").isNotEqualTo(resumed);
  }

  private void haltACohort(String rollout) {
    restartableRoom.fleet().asIf.halted(rollout, "bad");
  }

  private Optional<Instant> countedFrom(String rollout) {
    return restartableRoom.rows().rollout(rollout).countedFrom();
  }

  /** Of a paused rollout nobody looks whether too many failed: who joins is held as it joins. */
  @Test
  void whoJoinsAHaltedCohortNeverBegins() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("w1");
    restartableRoom.client().pauseRollout(rollout, "");
    haltACohort(rollout);
    restartableRoom.fleet().host("w2");
    restartableRoom.fleet().execute("UPDATE hosts SET hardware_class = 'bad' WHERE name = 'w2'");
    restartableRoom.client().addHosts(rollout, List.of("w2"), "");
    assertThat(restartableRoom.rows().host("w2").waitsFor()).containsExactly("halt:web/bad/web");
    assertThat(restartableRoom.host(rollout, "w2").getReason())
        .isEqualTo("rollout " + rollout + " is paused by all");
  }

  @Test
  void whoWaitedInTheQueueStandsThereAgainAfterAPause() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("k1", "k2");
    Candidate first = restartableRoom.candidates().pending(List.of(), 10).getFirst();
    restartableRoom.fleet().holds.queue(Grants.placeOf(first, 0, Instant.MAX).at(77));
    restartableRoom.client().pauseRollout(rollout, "");
    restartableRoom.until(() -> restartableRoom.rows().host("k1").age().equals(Optional.of(77L)));
    restartableRoom.client().resumeRollout(rollout, "");
    assertThat(restartableRoom.candidates().pending(List.of(), 10))
        .extracting(Candidate::hosts, Candidate::seniority)
        .containsExactly(
            tuple(List.of("k1"), Optional.of(new Seniority(77, 0))),
            tuple(List.of("k2"), Optional.empty()));
  }

  /** A batch is sent back from wherever it is; what was done is undone, and nothing else is. */
  @ParameterizedTest
  @CsvSource({
    "Cordon, 'Cordon'",
    "Drain, 'Cordon,Uncordon'",
    "Update, 'Cordon,Drain,Recover'",
  })
  void anAbortedBatchIsAsItWasFound(JobStep next, String steps) {
    restartableRoom.start().holdBack(next);
    String host = "b-" + next;
    String rollout = restartableRoom.submit(host, host + "-2");
    restartableRoom.until(() -> restartableRoom.rows().waits(next, host));
    restartableRoom.client().abortRollout(rollout, "wrong release");
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getState()).isEqualTo(RolloutState.Aborted);
    assertThat(ended.getCancelled()).isEqualTo(2);
    HostUpgrade upgrade = restartableRoom.host(rollout, host);
    assertThat(upgrade.getReason()).isEqualTo("aborted by all: wrong release");
    List<String> expected = next == JobStep.Cordon ? List.of() : List.of(steps.split(","));
    assertThat(restartableRoom.done(host)).containsExactlyElementsOf(expected);
    restartableRoom.until(() -> restartableRoom.locks(host, host + "-2").isEmpty());
  }

  /** The control of the test before: half an update is worse than a whole one. */
  @Test
  @Shows(of = HostUpgradeState.class, states = "Pending", exit = Exit.ABORT, end = "Cancelled")
  void aBatchWhoseUpdateHasBegunGoesOnAndTheOthersOfItsRolloutAreCancelled() {
    restartableRoom.start().holdBack(JobStep.Health);
    String rollout = restartableRoom.submit("c1");
    restartableRoom.until(() -> restartableRoom.rows().waits(JobStep.Health, "c1"));
    restartableRoom.fleet().host("c2");
    restartableRoom.client().pauseRollout(rollout, "");
    restartableRoom.client().addHosts(rollout, List.of("c2"), "one more");
    restartableRoom.client().abortRollout(rollout, "");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "c2").getState() == HostUpgradeState.Cancelled);
    assertThat(restartableRoom.client().rollout(rollout).getState())
        .isEqualTo(RolloutState.Aborting);
    restartableRoom.world().letGo(JobStep.Health);
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getState()).isEqualTo(RolloutState.Aborted);
    assertThat(restartableRoom.host(rollout, "c1").getState()).isEqualTo(HostUpgradeState.Upgraded);
    assertThat(restartableRoom.host(rollout, "c2").getReason())
        .isEqualTo("the rollout was aborted by all");
  }

  @Test
  void anAbortBetweenTheTwoStoresOfAGrantBringsItsHostsBackUntouched() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("d1", "d2");
    List<Candidate> pending = restartableRoom.candidates().pending(List.of(), 10);
    String proposed =
        restartableRoom
            .candidates()
            .propose(pending.getFirst(), Fleet.GRANT)
            .orElseThrow()
            .grantId();
    String lost =
        restartableRoom
            .candidates()
            .propose(pending.getLast(), Fleet.GRANT)
            .orElseThrow()
            .grantId();
    restartableRoom.client().abortRollout(rollout, "");
    long hold = restartableRoom.fleet().holds.commit(proposed, List.of("d1"));
    restartableRoom.candidates().committed(proposed, hold);
    restartableRoom.candidates().voided(lost, "its grantor is gone");
    restartableRoom.startWorld();
    assertThat(restartableRoom.ended(rollout).getCancelled()).isEqualTo(2);
    assertThat(restartableRoom.done("d1")).isEmpty();
    restartableRoom.until(() -> restartableRoom.locks("d1", "d2").isEmpty());
  }

  @Test
  @Shows(of = RolloutState.class, states = "Aborting", exit = Exit.CRASH, end = "Aborted")
  void aRolloutIsAbortedAlsoIfItsProcessDiesRightAfterTheCommand() {
    restartableRoom.start().holdBack(JobStep.Update);
    String rollout = restartableRoom.submit("e1", "e2");
    restartableRoom.until(() -> restartableRoom.rows().waits(JobStep.Update, "e1"));
    restartableRoom.client().abortRollout(rollout, "");
    restartableRoom.stop();
    restartableRoom.start();
    assertThat(restartableRoom.ended(rollout).getCancelled()).isEqualTo(2);
    assertThat(restartableRoom.done("e1")).containsExactly("Cordon", "Drain", "Recover");
  }

  @Test
  void aCommandThatTheStateDoesNotAllowSaysTheStateAndChangesNothing() {
    restartableRoom.start();
    String rollout = restartableRoom.submit("f1");
    restartableRoom.ended(rollout);
    assertThatThrownBy(() -> restartableRoom.client().pauseRollout(rollout, ""))
        .isInstanceOfSatisfying(
            CallException.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.code()).isEqualTo("ROLLOUT_STATE");
              assertThat(refused).hasMessageContaining(rollout + " is Succeeded");
            });
    assertThatThrownBy(() -> restartableRoom.client().abortRollout(rollout, ""))
        .hasMessageContaining("is Succeeded");
    assertThatThrownBy(() -> restartableRoom.client().retryRollout(rollout, "", "again"))
        .hasMessageContaining("no host of rollout " + rollout + " failed");
    assertThatThrownBy(() -> restartableRoom.client().addHosts(rollout, List.of("f2"), ""))
        .hasMessageContaining("is Succeeded");
    assertThatThrownBy(() -> restartableRoom.client().pauseRollout("r0", ""))
        .hasMessageContaining("r0");
    assertThat(restartableRoom.client().rollout(rollout).getState())
        .isEqualTo(RolloutState.Succeeded);
  }

  @Test
  void onlyTheHostsThatFailedAreTriedAgain() {
    restartableRoom.start().outcome(JobStep.Drain, JobOutcome.Failed);
    String rollout = restartableRoom.submit("g1");
    restartableRoom.ended(rollout);
    restartableRoom.world().outcome(JobStep.Drain, JobOutcome.Done);
    Rollout retry =
        restartableRoom.client().retryRollout(rollout, "the balancer is back", "g-again");
    assertThat(Objects.requireNonNull(retry.getOrigin()).getKind())
        .isEqualTo(RolloutOriginKind.Retry);
    assertThat(retry.getOrigin().getRollout()).isEqualTo(rollout);
    assertThat(restartableRoom.client().retryRollout(rollout, "", "g-again").getId())
        .as("the answer was lost, and it was asked again")
        .isEqualTo(retry.getId());
    assertThat(restartableRoom.ended(retry.getId()).getUpgraded()).isEqualTo(1);
    assertThat(restartableRoom.host(rollout, "g1").getState())
        .as("what the first one says stays")
        .isEqualTo(HostUpgradeState.Reverted);
  }

  @Test
  void whatWasUpgradedGoesBackToTheReleaseItHadBefore() {
    restartableRoom.start();
    restartableRoom.fleet().host("h1");
    restartableRoom.fleet().host("h2");
    anEarlierRelease();
    restartableRoom.fleet().execute("UPDATE hosts SET release = '1' WHERE name = 'h1'");
    String rollout = restartableRoom.submitAgain("h1", "h2");
    restartableRoom.ended(rollout);
    assertThatThrownBy(
            () -> restartableRoom.client().revertRollout(rollout, Optional.empty(), "", "x"))
        .as("nobody knows where h2 came from")
        .hasMessageContaining("[1, unknown]");
    Rollout revert =
        restartableRoom.client().revertRollout(rollout, Optional.of("1"), "2 is slow", "h-back");
    assertThat(revert.getRelease()).isEqualTo("1");
    assertThat(restartableRoom.ended(revert.getId()).getUpgraded()).isEqualTo(2);
    assertThat(restartableRoom.fleet().value("SELECT release FROM hosts WHERE name = 'h1'"))
        .isEqualTo("1");
    assertThat(updates(revert.getId()))
        .isNotEmpty()
        .allMatch(update -> update.says("downgrade").equals("true"));
    assertThat(updates(rollout))
        .isNotEmpty()
        .allMatch(update -> update.says("downgrade").equals("false"));

    Rollout forth =
        restartableRoom.client().revertRollout(revert.getId(), Optional.empty(), "", "h-forth");
    assertThat(forth.getRelease()).as("now it is known of both").isEqualTo("2");
  }

  /** Release 1. */
  private void anEarlierRelease() {
    restartableRoom
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
    restartableRoom.start().holdBack(JobStep.Health, "m2"::equals);
    String rollout = restartableRoom.submit("m1", "m2");
    restartableRoom.until(
        () -> restartableRoom.host(rollout, "m1").getState() == HostUpgradeState.Upgraded);
    restartableRoom.until(() -> restartableRoom.rows().waits(JobStep.Health, "m2"));
    restartableRoom.fleet().asIf.cameFrom("1");
    anEarlierRelease();
    restartableRoom.client().abortRollout(rollout, "2 is slow");
    assertThatThrownBy(
            () -> restartableRoom.client().revertRollout(rollout, Optional.empty(), "", "m"))
        .isInstanceOfSatisfying(
            CallException.class,
            refused -> {
              assertThat(refused.status()).isEqualTo(409);
              assertThat(refused.code()).isEqualTo("HOSTS_IN_PROGRESS");
              assertThat(refused).hasMessageContaining("in progress (1): m2;");
            });
    restartableRoom.world().letGo(JobStep.Health);
    restartableRoom.ended(rollout);
    assertThat(
            restartableRoom
                .client()
                .revertRollout(rollout, Optional.empty(), "", "m")
                .getHostCount())
        .isEqualTo(2);
  }

  @Test
  void aRevertWaitsAlsoForHostsThatWereOnlyProposedWhenItsRolloutWasPaused() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("n1", "n2");
    Candidate first = restartableRoom.candidates().pending(List.of(), 10).getFirst();
    String proposed =
        restartableRoom.candidates().propose(first, Fleet.GRANT).orElseThrow().grantId();
    assertThat(restartableRoom.grantState(proposed)).isEqualTo("proposed");
    restartableRoom.client().pauseRollout(rollout, "");
    assertThatThrownBy(
            () -> restartableRoom.client().revertRollout(rollout, Optional.empty(), "", "n"))
        .hasMessageContaining("in progress (1): " + first.hosts().getFirst() + ";");
  }

  @Test
  void aHostThatWasThoughtToBeOnTheReleaseCameFromAnUnknownOne() {
    restartableRoom.start().outcome(JobStep.Verify, JobOutcome.Failed);
    restartableRoom.fleet().host("l1");
    restartableRoom.fleet().execute("UPDATE hosts SET release = '2' WHERE name = 'l1'");
    String rollout = restartableRoom.submitAgain("l1");
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
    assertThatThrownBy(
            () -> restartableRoom.client().revertRollout(rollout, Optional.empty(), "", "x"))
        .as("back to the release it was just brought to")
        .hasMessageContaining("[unknown]");
  }

  @Test
  @Shows(of = RolloutState.class, states = "Scheduled", exit = Exit.TIME_OUT, end = "Running")
  void aScheduledRolloutBeginsWhenItsTimeHasCome() {
    restartableRoom.start();
    restartableRoom.fleet().host("i1");
    String rollout =
        restartableRoom
            .client()
            .startRollout(
                new RolloutRequest()
                    .setRelease("2")
                    .setHosts(new StringArray("i1"))
                    .setChangeTicket("CHG-7")
                    .setStartAt(System.currentTimeMillis() + 3_600_000));
    Rollout scheduled = restartableRoom.client().rollout(rollout);
    assertThat(scheduled.getState()).isEqualTo(RolloutState.Scheduled);
    assertThat(scheduled.getChangeTicket()).isEqualTo("CHG-7");
    assertThat(restartableRoom.candidates().pending(List.of(), 10)).isEmpty();
    assertThat(restartableRoom.client().pauseRollout(rollout, "").getState())
        .isEqualTo(RolloutState.Paused);
    assertThat(restartableRoom.client().resumeRollout(rollout, "").getState())
        .isEqualTo(RolloutState.Scheduled);
    restartableRoom.fleet().asIf.theirTimeHasCome();
    assertThat(restartableRoom.ended(rollout).getUpgraded()).isEqualTo(1);
  }

  @Test
  void hostsComeAndGoWhileTheyHaveNotBegun() {
    restartableRoom.startWithoutWorld();
    String rollout = restartableRoom.submit("j1", "j2");
    restartableRoom.fleet().host("j3");
    Rollout more = restartableRoom.client().addHosts(rollout, List.of("j3", "j1"), "bought since");
    assertThat(more.getHostCount()).isEqualTo(3);
    assertThat(restartableRoom.client().addHosts(rollout, List.of("j3"), "").getHostCount())
        .isEqualTo(3);
    assertThatThrownBy(() -> restartableRoom.client().addHosts(rollout, List.of("j4"), ""))
        .hasMessageContaining("1 fault");
    commit(restartableRoom.candidates().pending(List.of(), 10).getFirst());
    assertThatThrownBy(
            () -> restartableRoom.client().removeHosts(rollout, List.of("j2", "j1", "j9"), ""))
        .hasMessageContaining("j1 (InProgress), j9 (not in it)");
    assertThat(restartableRoom.host(rollout, "j2").getState())
        .as("all or none")
        .isEqualTo(HostUpgradeState.Pending);
    restartableRoom.client().removeHosts(rollout, List.of("j2"), "sold");
    assertThat(restartableRoom.host(rollout, "j2").getReason()).isEqualTo("removed by all: sold");
    assertThatThrownBy(() -> restartableRoom.client().addHosts(rollout, List.of("j2"), ""))
        .hasMessageContaining("j2 (Cancelled)");
    restartableRoom.startWorld();
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(List.of(ended.getUpgraded(), ended.getCancelled())).containsExactly(2, 1);
  }

  private void commit(Candidate candidate) {
    String grant =
        restartableRoom.candidates().propose(candidate, Fleet.GRANT).orElseThrow().grantId();
    restartableRoom
        .candidates()
        .committed(grant, restartableRoom.fleet().holds.commit(grant, candidate.hosts()));
  }

  private List<Row.Job> updates(String rollout) {
    return restartableRoom.rows().jobs().stream()
        .filter(job -> job.step() == JobStep.Update && job.says("rollout").equals(rollout))
        .toList();
  }
}
