package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutState;
import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.FailureBudget;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.RestartableRoom;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whole rollouts; the drain of every host of one cohort fails. */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class FailureWatchTest {
  private static final List<String> OLD = List.of("o1", "o2", "o3", "o4", "o5", "o6");
  private static final List<String> NEW = List.of("n1", "n2", "n3", "n4", "n5", "n6");
  private static final int AT_ONCE = 2;

  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @Test
  @Shows(
      of = HostUpgradeState.class,
      states = "Pending",
      exit = Exit.FAILURE,
      end = "Pending until people resume its rollout")
  void aBadCohortIsHaltedAndTheOthersFinishUntilPeopleLetItGoOn() {
    String rollout = begin(new FailureBudget(new Amount.Percent(20), 2));
    restartableRoom.until(
        () -> restartableRoom.client().rollout(rollout).getUpgraded() == OLD.size());
    restartableRoom.until(() -> restartableRoom.client().rollout(rollout).getInProgress() == 0);
    Rollout halted = restartableRoom.client().rollout(rollout);
    assertThat(halted.getState()).isEqualTo(RolloutState.Running);
    assertThat(halted.getReverted()).as("the sample and those under way").isBetween(2, 2 + AT_ONCE);
    assertThat(NEW.stream().map(host -> restartableRoom.host(rollout, host)))
        .filteredOn(host -> host.getState() == HostUpgradeState.Pending)
        .hasSizeGreaterThanOrEqualTo(NEW.size() - 2 - AT_ONCE)
        .allMatch(
            host -> host.getReason().startsWith("no further host of class new with web begins: "));
    assertThat(
            restartableRoom
                .fleet()
                .value("SELECT count(*) FROM events WHERE kind = 'CohortHalted'"))
        .isEqualTo("1");

    restartableRoom.world().failing(JobStep.Drain, host -> false);
    restartableRoom.client().resumeRollout(rollout, "the new driver is out");
    Rollout ended = restartableRoom.ended(rollout);
    assertThat(ended.getUpgraded() + ended.getReverted()).isEqualTo(OLD.size() + NEW.size());
    assertThat(ended.getReverted()).isEqualTo(halted.getReverted());
  }

  /** All are of one class and under one policy: what fails is an application. */
  @Test
  void aBadApplicationIsHaltedAndTheOthersOfItsClassAndPolicyFinish() {
    FailureBudget budget = new FailureBudget(new Amount.Count(1), 1);
    restartableRoom.failures(List.of(new InForce("web", 1, List.of("cache", "web"), budget)));
    restartableRoom.start().atOnce(AT_ONCE).failing(JobStep.Drain, NEW::contains);
    OLD.forEach(restartableRoom.fleet()::host);
    NEW.forEach(restartableRoom.fleet()::host);
    restartableRoom
        .fleet()
        .execute("UPDATE instances SET application = 'cache' WHERE host LIKE 'n%'");
    String rollout =
        restartableRoom.submitAgain(
            Stream.concat(NEW.stream(), OLD.stream()).toArray(String[]::new));

    restartableRoom.until(
        () -> restartableRoom.client().rollout(rollout).getUpgraded() == OLD.size());
    restartableRoom.until(() -> restartableRoom.client().rollout(rollout).getInProgress() == 0);

    Rollout halted = restartableRoom.client().rollout(rollout);
    assertThat(halted.getState()).isEqualTo(RolloutState.Running);
    assertThat(halted.getReverted()).as("two and those under way").isBetween(2, 2 + AT_ONCE);
    assertThat(NEW.stream().map(host -> restartableRoom.host(rollout, host)))
        .filteredOn(host -> host.getState() == HostUpgradeState.Pending)
        .isNotEmpty()
        .allMatch(host -> host.getReason().contains("of class default with cache begins: "));
  }

  /** The control: the same hosts without a budget. */
  @Test
  @Tag("full")
  void withoutABudgetAllOfABadCohortFail() {
    String rollout = begin();
    assertThat(restartableRoom.ended(rollout).getReverted()).isEqualTo(NEW.size());
  }

  @Test
  @Shows(of = RolloutState.class, states = "Running", exit = Exit.FAILURE, end = "Paused")
  void tooManyFailuresOverAllCohortsPauseTheRollout() {
    restartableRoom.failures(List.of(budget(new FailureBudget(new Amount.Count(1), 1))));
    restartableRoom.start().atOnce(1).failing(JobStep.Drain, host -> true);
    String rollout = submit(Stream.of("p1", "p2", "p3", "p4").toList());
    restartableRoom.until(
        () -> restartableRoom.client().rollout(rollout).getState() == RolloutState.Paused);
    Rollout paused = restartableRoom.client().rollout(rollout);
    assertThat(paused.getStateBy()).isEqualTo("policy web");
    assertThat(paused.getStateReason())
        .contains("failed, more than maxFailed 1 of policy web version 1 allows");
    assertThat(paused.getPending()).isPositive();
  }

  private String begin(FailureBudget... budgets) {
    restartableRoom.failures(Stream.of(budgets).map(FailureWatchTest::budget).toList());
    restartableRoom.start().atOnce(AT_ONCE).failing(JobStep.Drain, NEW::contains);
    return submit(Stream.concat(NEW.stream(), OLD.stream()).toList());
  }

  private static InForce budget(FailureBudget budget) {
    return new InForce("web", 1, List.of("web"), budget);
  }

  /** Each carries an instance; in the last test each is of another class. */
  private String submit(List<String> hosts) {
    for (String host : hosts) {
      restartableRoom.fleet().host(host);
      String name = NEW.contains(host) ? "new" : OLD.contains(host) ? "old" : "class of " + host;
      restartableRoom
          .fleet()
          .execute(
              "UPDATE hosts SET hardware_class = '%s' WHERE name = '%s'".formatted(name, host));
    }
    return restartableRoom.submitAgain(hosts.toArray(String[]::new));
  }
}
