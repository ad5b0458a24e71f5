package dev.drydock.orchestrator.preflight;

import static dev.drydock.orchestrator.testkit.PreflightBench.failed;
import static dev.drydock.orchestrator.testkit.PreflightBench.passed;
import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Grants;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.PreflightBench;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts are asked before they are granted, and those that do not pass are not touched. */
@Tag("stack")
class PreflightTest {
  private static final JobResult AWAY =
      failed(JobMend.Time, "source-unreadable", "not touched: the mirror answers 404");
  private static final JobResult HELD =
      failed(JobMend.People, "held", "not touched: openssl is held; apt-mark unhold openssl");

  private final PreflightBench bench = new PreflightBench();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void grantsAHostThatPassed() {
    bench.rollout("r1", "a", "b");
    assertThat(bench.candidates()).isEmpty();
    assertThat(bench.round()).isEqualTo(2);
    assertThat(bench.reason("a")).startsWith("asked whether it could be updated");
    bench.end(passed(), "a");
    assertThat(bench.candidates()).containsExactly("a");
    assertThat(bench.reason("a")).isEmpty();
    bench.fleet.grant("r1", "a");
    assertThat(bench.state("a")).isEqualTo(HostUpgradeState.InProgress);
    assertThat(bench.events("a"))
        .containsSubsequence("JobClaimed", "PreflightPassed", "HostUpgradeChanged");
    assertThat(bench.round()).as("it is not asked again, b is still asked").isZero();
  }

  /** The control: without the switch nobody is asked, and all are granted as they are. */
  @Test
  void asksNobodyWhenItIsOff() {
    bench.rollout("r1", "a");
    Fleet unasked = new Fleet(bench.jdbi());
    assertThat(unasked.candidates.pending(List.of(), 10)).hasSize(1);
    assertThat(bench.candidates()).isEmpty();
  }

  @Test
  void handsFactsOnToTheJobsOfItsBatch() {
    bench.rollout("r1", "a");
    bench.round();
    bench.end(passed().setFacts(new StringMap(Map.of("staged", "3"))), "a");
    assertThat(bench.fleet.rows.host("a").facts()).contains("\"staged\": \"3\"");
  }

  @Test
  void waitsForWhatTimeMendsAndGoesOnByItself() {
    bench.rollout("r1", "a", "b");
    bench.round();
    bench.end(AWAY, "a");
    bench.end(passed(), "b");
    assertThat(bench.candidates()).as("others go on").containsExactly("b");
    assertThat(bench.state("a")).isEqualTo(HostUpgradeState.Pending);
    assertThat(bench.reason("a")).isEqualTo("not touched: the mirror answers 404");
    assertThat(bench.events("a")).contains("PreflightFailed").doesNotContain("HostUpgradeChanged");
    assertThat(bench.round()).as("it backs off").isZero();
    bench.later(Duration.ofSeconds(16));
    assertThat(bench.round()).isEqualTo(1);
    assertThat(bench.reason("a")).as("still the reason").contains("404");
    bench.end(AWAY, "a");
    bench.later(Duration.ofSeconds(16));
    assertThat(bench.round()).as("longer each time").isZero();
    bench.later(Duration.ofSeconds(15));
    assertThat(bench.round()).isEqualTo(1);
    bench.end(passed(), "a");
    assertThat(bench.candidates()).contains("a");
    assertThat(bench.reason("a")).isEmpty();
  }

  @Test
  void whatNobodyExplainsIsAskedAgain() {
    bench.rollout("r1", "a");
    bench.round();
    bench.end(new JobResult().setOutcome(JobOutcome.Unknown).setMessage("ssh broke"), "a");
    assertThat(bench.state("a")).isEqualTo(HostUpgradeState.Pending);
    assertThat(bench.reason("a")).isEqualTo("not touched: ssh broke");
  }

  @Test
  void whatOnlyPeopleMendEndsRevertedUntouched() {
    bench.rollout("r1", "a", "b");
    bench.round();
    bench.end(HELD, "a");
    assertThat(bench.state("a")).isEqualTo(HostUpgradeState.Reverted);
    assertThat(bench.reason("a")).startsWith("not touched: openssl is held");
    assertThat(bench.fleet.rows.batches()).isEmpty();
    assertThat(bench.events("a"))
        .containsExactly("JobClaimed", "PreflightFailed", "HostUpgradeChanged");
    bench.round();
    assertThat(bench.offeredHosts()).containsExactly("b");
    assertThat(
            new HostDecisions(bench.jdbi())
                .until("a", Instant.now().plusSeconds(60), new PageRequest(0, 10), FieldMask.all())
                .elements())
        .anySatisfy(
            decision -> {
              assertThat(decision.getDecision()).isEqualTo("NotTouched");
              assertThat(decision.getReason()).contains("apt-mark unhold");
            });
  }

  @Test
  void asksNobodyWhoWaitsForSomethingElse() {
    bench.rollout("r1", "canary", "waits", "backs-off", "asked");
    bench.rollout("r2", "scheduled");
    bench.fleet.asIf.waitFor(List.of("web"), "waits");
    bench.fleet.asIf.backOff("backs-off");
    bench.fleet.asIf.rolloutIs(RolloutState.Scheduled, "r2");
    bench.frozen(true);
    assertThat(bench.round()).isZero();
    bench.frozen(false);
    bench.round();
    assertThat(bench.offeredHosts()).containsExactlyInAnyOrder("canary", "asked");
    bench.frozen(true);
    bench.round();
    assertThat(bench.offered()).as("the fleet was frozen").isEmpty();
  }

  @Test
  void asksAgainBeforeAPassIsTooOldAndGrantsNobodyByAnOldOne() {
    bench.rollout("r1", "a");
    bench.round();
    bench.end(passed(), "a");
    bench.later(Duration.ofMinutes(20));
    assertThat(bench.round()).isZero();
    bench.later(Duration.ofMinutes(3));
    assertThat(bench.round()).isEqualTo(1);
    assertThat(bench.candidates()).as("meanwhile it may be granted").containsExactly("a");
    bench.later(Duration.ofMinutes(8));
    assertThat(bench.candidates()).isEmpty();
    assertThat(bench.proposed("r1", "a")).as("it was offered a moment ago").isFalse();
    bench.frozen(true);
    bench.round();
    assertThat(bench.reason("a")).startsWith("passed its preflight more than 30 minutes ago");
    bench.frozen(false);
    bench.round();
    bench.end(passed(), "a");
    assertThat(bench.candidates()).containsExactly("a");
  }

  /** A pass that another preflight takes back does not count until its time is over. */
  @Test
  void aLaterFailureTakesAPassBack() {
    bench.rollout("r1", "a");
    bench.round();
    bench.end(passed(), "a");
    bench.later(Duration.ofMinutes(23));
    bench.round();
    bench.end(AWAY, "a");
    assertThat(bench.candidates()).isEmpty();
  }

  @Test
  void keepsThePlaceOfAHostThatIsNotOffered() {
    bench.rollout("r1", "a", "b");
    bench.round();
    bench.end(passed(), "a", "b");
    bench.fleet.candidates.pending(List.of(), 10).stream()
        .map(candidate -> Grants.placeOf(candidate, 0, Instant.MAX).at(77))
        .forEach(bench.fleet.holds::queue);
    bench.round();
    assertThat(bench.fleet.rows.host("a").age())
        .as("the control: its ticket stands in the queue itself")
        .isEmpty();
    bench.later(Duration.ofMinutes(23));
    bench.round();
    bench.end(AWAY, "a");
    bench.round();
    assertThat(bench.fleet.rows.host("a").age()).contains(77L);
    assertThat(bench.fleet.rows.host("b").age()).isEmpty();
    bench.later(Duration.ofSeconds(16));
    bench.round();
    bench.end(passed(), "a");
    assertThat(bench.candidates()).startsWith("a");
  }
}
