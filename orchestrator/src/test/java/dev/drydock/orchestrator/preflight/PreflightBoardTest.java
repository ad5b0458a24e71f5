package dev.drydock.orchestrator.preflight;

import static dev.drydock.orchestrator.testkit.PreflightBench.failed;
import static dev.drydock.orchestrator.testkit.PreflightBench.passed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.PreflightBench;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Preflights on the job board: who has them, and when they are over. */
@Tag("stack")
class PreflightBoardTest {
  private static final JobResult HELD =
      failed(JobMend.People, "held", "not touched: openssl is held; apt-mark unhold openssl");

  private final PreflightBench bench = new PreflightBench();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void theJobSaysWhatAnUpdateWouldDoAndItsTokenIsOlderThanThatOfEveryBatch() {
    bench.fleet.healthChecks = Map.of("web", Set.of("web-answers"));
    bench.rollout("r1", "a");
    bench.round();
    Job offered = bench.offered().getFirst();
    assertThat(offered.getId()).isEqualTo("pre.Preflight.r1.a.1");
    assertThat(offered.getStep()).isEqualTo(JobStep.Preflight);
    assertThat(offered.getGrant()).isEmpty();
    assertThat(Objects.requireNonNull(offered.getRelease()).getName()).isEqualTo("2");
    assertThat(offered.isDowngrade()).isFalse();
    ClaimResult.Granted claim = bench.taken("a");
    assertThat(claim.token()).matches("[0-9]+\\.0\\.1\\.1");
    assertThat(claim.job()).contains("web-answers", "secondsLeft");
  }

  @Test
  void followsAConsumerThatFellSilent() {
    bench.rollout("r1", "a");
    bench.round();
    String job = bench.job("a");
    ClaimResult.Granted first = bench.taken("a");
    assertThat(bench.offered()).isEmpty();
    assertThat(bench.board.heartbeat(job, first.secret())).hasValue(15);
    bench.later(Duration.ofSeconds(16));
    ClaimResult.Granted second = bench.taken("a");
    assertThat(second.token()).endsWith(".0.1.2");
    assertThat(bench.complete(job, first, HELD))
        .isInstanceOfSatisfying(
            CompletionResult.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(CompletionResult.Reason.CLAIM_LOST));
    assertThat(bench.complete(job, second, passed()))
        .isEqualTo(new CompletionResult.Accepted(false));
    assertThat(bench.complete(job, second, passed()))
        .isEqualTo(new CompletionResult.Accepted(true));
    assertThat(bench.candidates()).containsExactly("a");
  }

  @Test
  void asksAgainWhenItsTimeIsOver() {
    bench.rollout("r1", "a");
    bench.round();
    bench.taken("a");
    bench.later(Duration.ofMinutes(31));
    bench.round();
    assertThat(bench.offered()).isEmpty();
    assertThat(bench.reason("a")).contains("did not end within 30 minutes in 1 attempts");
    bench.later(Duration.ofSeconds(16));
    bench.round();
    assertThat(bench.offered().getFirst().getRound()).isEqualTo(2);
  }

  @Test
  void refusesResultsOfOtherSteps() {
    bench.rollout("r1", "a");
    bench.round();
    String job = bench.job("a");
    ClaimResult.Granted claim = bench.taken("a");
    for (JobResult wrong :
        List.of(
            passed().setMark(7),
            passed().setState("x"),
            new JobResult().setOutcome(JobOutcome.Veto).setMessage("no"))) {
      assertThat(bench.complete(job, claim, wrong))
          .isInstanceOfSatisfying(
              CompletionResult.Refused.class,
              refused ->
                  assertThat(refused.reason()).isEqualTo(CompletionResult.Reason.INVALID_RESULT));
    }
    Principal stranger = new Principal("x", "sre", Role.CONSUMER, Set.of("scheduler/static"));
    assertThat(bench.board.claim(job, "x", stranger))
        .isInstanceOfSatisfying(
            ClaimResult.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(ClaimResult.Reason.TOPIC_NOT_YOURS));
  }

  @Test
  void takesPreflightsOffTheBoardWhenTheirRolloutIsPausedOrAborted() {
    for (RolloutCommand rolloutCommand : List.of(RolloutCommand.PAUSE, RolloutCommand.ABORT)) {
      String host = "h-" + rolloutCommand;
      bench.rollout("r-" + rolloutCommand, host, host + "2");
      bench.round();
      String job = bench.job(host);
      ClaimResult.Granted claim = bench.taken(host);
      new RolloutControl(bench.jdbi(), bench.fleet.onward)
          .command(HookBench.ANYBODY, "r-" + rolloutCommand, rolloutCommand, "test");
      assertThat(bench.offered()).as("at once").isEmpty();
      assertThat(bench.board.heartbeat(job, claim.secret())).isEmpty();
      assertThat(bench.complete(job, claim, HELD)).isInstanceOf(CompletionResult.Refused.class);
      assertThat(bench.round()).isZero();
      assertThat(bench.job(host)).isEqualTo("none");
      assertThat(bench.state(host)).isEqualTo(HostUpgradeState.Pending);
    }
  }

  @Test
  void asksNobodyInRecoveryMode() {
    bench.rollout("r1", "a", "b");
    bench.round();
    String job = bench.job("a");
    ClaimResult.Granted claim = bench.taken("a");
    bench.recovering(true);
    assertThat(bench.offered()).isEmpty();
    assertThat(bench.board.heartbeat(job, claim.secret())).isEmpty();
    assertThat(bench.complete(job, claim, passed())).isInstanceOf(CompletionResult.Refused.class);
    assertThat(bench.round()).isZero();
    bench.recovering(false);
    assertThat(bench.offeredHosts()).containsExactly("b");
  }

  @Test
  void saysThatNobodyClaimsFromTheTopic() {
    bench.rollout("r1", "a");
    bench.round();
    bench.round();
    assertThat(bench.reason("a")).startsWith("asked");
    bench.later(Duration.ofSeconds(31));
    bench.round();
    assertThat(bench.reason("a"))
        .startsWith("nobody claims from host/PackageUpdate")
        .endsWith("nothing of this topic is granted");
    bench.later(Duration.ofDays(1));
    bench.round();
    assertThat(bench.offeredHosts()).as("no time ends it").containsExactly("a");
    bench.end(passed(), "a");
    assertThat(bench.candidates()).containsExactly("a");
  }

  /** Of a topic that somebody claims from hosts only wait for their turn. */
  @Test
  void aConsumerThatIsBusyIsNotNobody() {
    bench.rollout("r1", "a", "b");
    bench.round();
    bench.taken("a");
    bench.later(Duration.ofSeconds(31));
    bench.round();
    assertThat(bench.reason("b")).startsWith("asked");
  }

  @Test
  void keepsNoMoreThanTheLastPreflightsOfAHost() {
    bench.rollout("r1", "a");
    for (int i = 0; i < 5; i++) {
      bench.round();
      bench.end(passed(), "a");
      bench.later(Duration.ofMinutes(31));
    }
    assertThat(bench.fleet.value("SELECT max(round) FROM preflights")).isEqualTo("5");
    assertThat(Integer.parseInt(bench.fleet.value("SELECT count(*) FROM preflights")))
        .isLessThanOrEqualTo(2);
  }
}
