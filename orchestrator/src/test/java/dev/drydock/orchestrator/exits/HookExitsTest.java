package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A host in each stage of hooks, and each way out of it, as {@link PhaseExitsTest}. Before the
 * update all goes back; after it people are asked.
 */
@Tag("stack")
@Timeout(150)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class HookExitsTest {
  private final Staging staging = new Staging();
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @BeforeAll
  void start() {
    restartableRoom.start().staged(staging);
  }

  @AfterAll
  void close() {
    restartableRoom.close();
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"BEFORE_UNDEPLOY", "AFTER_UNDEPLOY"},
      exit = Exit.ABORT,
      end = "Cancelled")
  @Shows(
      of = Phase.class,
      states = {"BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.ABORT,
      end = "Upgraded")
  void anAbort(Phase phase, HostUpgradeState end) {
    String host = "abort-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    restartableRoom.client().abortRollout(rollout, "wrong release");
    staging.letGo(host);
    ends(rollout, host, end);
    assertThat(restartableRoom.done(host))
        .containsExactlyElementsOf(
            end == HostUpgradeState.Upgraded ? Staging.WITH_HOOKS : back(phase));
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = Phase.class, states = "BEFORE_UNDEPLOY", exit = Exit.TIME_OUT, end = "Pending")
  void nobodyDoesItInTime(Phase phase, HostUpgradeState end) {
    String host = "late-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.tooLate(restartableRoom, host);
    restartableRoom.until(
        () -> {
          HostUpgrade now = restartableRoom.host(rollout, host);
          return now.getState() == end && now.getReason().contains("no consumer of hook/leave");
        });
    assertThat(restartableRoom.done(host)).doesNotContain("Drain");
    staging.letGo(host);
  }

  /** They may have begun it: it is taken back. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"BEFORE_UNDEPLOY", "AFTER_UNDEPLOY"},
      exit = Exit.TIME_OUT,
      end = "Reverted")
  void everybodyWhoHadItFellSilent(Phase phase, HostUpgradeState end) {
    String host = "silent-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.fellSilent(restartableRoom, host);
    ends(rollout, host, end);
    assertThat(restartableRoom.done(host)).contains(takesBack(phase));
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"BEFORE_UNDEPLOY", "AFTER_UNDEPLOY"},
      exit = Exit.FAILURE,
      end = "Reverted")
  void itFails(Phase phase, HostUpgradeState end) {
    String host = "failed-" + phase;
    String rollout = ending(phase, host, JobOutcome.Failed);
    ends(rollout, host, end);
    assertThat(restartableRoom.done(host)).contains(takesBack(phase));
  }

  /** It goes back into the queue again and again, until it is let go on. */
  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(of = Phase.class, states = "BEFORE_UNDEPLOY", exit = Exit.FAILURE, end = "Pending")
  void itsTeamSaysNo(Phase phase, HostUpgradeState end) {
    String host = "veto-" + phase;
    String rollout = ending(phase, host, JobOutcome.Veto);
    restartableRoom.until(
        () -> {
          HostUpgrade now = restartableRoom.host(rollout, host);
          return now.getState() == end
              && now.getReason().startsWith("BeforeUndeploy: leave of host " + host);
        });
    assertThat(restartableRoom.done(host)).contains(takesBack(phase)).doesNotContain("Drain");
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"AFTER_UNDEPLOY", "BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.TIME_OUT,
      end = "Upgraded")
  void nobodyClaimsItForLongAndItIsDoneOnceSomebodyDoes(Phase phase, HostUpgradeState end) {
    String host = "again-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.tooLate(restartableRoom, host);
    staging.letGo(host);
    ends(rollout, host, end);
    assertThat(restartableRoom.done(host)).containsExactlyElementsOf(Staging.WITH_HOOKS);
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.TIME_OUT,
      end = "Quarantined")
  void everybodyWhoHadItFellSilentAndPeopleGoOn(Phase phase, HostUpgradeState end) {
    String host = "left-" + phase;
    String rollout = staging.bring(restartableRoom, phase, host);
    Staging.fellSilent(restartableRoom, host);
    answered(rollout, host, DecisionOption.GoOn);
    ends(rollout, host, end);
  }

  @ParameterizedTest
  @ArgumentsSource(Shown.class)
  @Shows(
      of = Phase.class,
      states = {"BEFORE_DEPLOY", "AFTER_DEPLOY"},
      exit = Exit.FAILURE,
      end = "Quarantined")
  void itFailsAndPeopleGoOn(Phase phase, HostUpgradeState end) {
    String host = "aside-" + phase;
    String rollout = ending(phase, host, JobOutcome.Failed);
    answered(rollout, host, DecisionOption.GoOn);
    ends(rollout, host, end);
  }

  /** A host whose hook of the phase ends so. */
  private String ending(Phase phase, String host, JobOutcome outcome) {
    staging.fails(phase, host, outcome);
    staging.prepare(restartableRoom, phase, host);
    return restartableRoom.submitAgain(host);
  }

  /** Nothing more happens to it before somebody answers. */
  private void answered(String rollout, String host, DecisionOption answer) {
    restartableRoom.until(() -> question(rollout).isPresent());
    Decision question = question(rollout).orElseThrow();
    assertThat(question.getHosts()).containsExactly(host);
    assertThat(restartableRoom.host(rollout, host).getState())
        .isEqualTo(HostUpgradeState.InProgress);
    restartableRoom.client().decide(question.getId(), answer, "looked at it");
  }

  private Optional<Decision> question(String rollout) {
    return restartableRoom.client().decisions(false).stream()
        .filter(asked -> asked.getRollout().equals(rollout))
        .filter(asked -> asked.getState() == DecisionState.Open)
        .findFirst();
  }

  private void ends(String rollout, String host, HostUpgradeState end) {
    restartableRoom.ended(rollout);
    HostUpgrade last = restartableRoom.host(rollout, host);
    assertThat(last.getState()).as(last.getReason()).isEqualTo(end);
    assertThat(restartableRoom.done(host)).as("nothing is done twice").doesNotHaveDuplicates();
    if (end == HostUpgradeState.Quarantined) {
      assertThat(restartableRoom.locks(host))
          .extracting(LockRecord::kind)
          .containsExactly(LockRecord.Kind.QUARANTINE);
    } else {
      restartableRoom.until(() -> restartableRoom.locks(host).isEmpty());
    }
  }

  /** What is done on a host that nobody did anything on in the phase. */
  private static List<String> back(Phase phase) {
    return phase == Phase.BEFORE_UNDEPLOY
        ? List.of("Cordon", "Uncordon")
        : List.of("Cordon", "Hook:BeforeUndeploy", "Drain", "Recover", "Unhook:AfterDeploy");
  }

  private static String takesBack(Phase phase) {
    return phase == Phase.BEFORE_UNDEPLOY ? "Unhook:AfterDeploy" : "Unhook:BeforeDeploy";
  }
}
