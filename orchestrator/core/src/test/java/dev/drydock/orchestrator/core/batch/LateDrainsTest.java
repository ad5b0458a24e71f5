package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches whose Drains ended without drained hosts. */
class LateDrainsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1200);
  private static final String LATE =
      "a1 was not drained within 1200 s (how much was left was not told): Drain: requests stay open"
          + "; drain: up to 20m (policy web), then ";

  /** Hosts that are being drained, whose policies do this if that is late. */
  private static BatchScript draining(Way way, String... hosts) {
    Batches batch = Batches.of(hosts);
    for (String host : hosts) {
      batch.host(host, one -> one.drain(terms(TIMEOUT, way, "web", "search")));
    }
    return BatchScript.of(batch).until("Drain " + hosts[0]);
  }

  private static BatchScript late(BatchScript batchScript, String host) {
    return batchScript.end("Drain " + host, JobStatus.FAILED, "requests stay open");
  }

  private static BatchScript late(Way way) {
    return late(draining(way, "a1"), "a1");
  }

  private static List<JobOrder> drains(BatchScript batchScript) {
    return batchScript.decided(Action.Publish.class).stream()
        .map(Action.Publish::order)
        .filter(order -> order.step() == Step.DRAIN)
        .toList();
  }

  private static Check open(BatchScript batchScript) {
    return batchScript.now().checks().stream()
        .filter(check -> check.kind() == Check.Kind.OPEN)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theBatchGoesBackAsPoliciesSay() {
    assertThat(late(Way.REVERT).wentBack())
        .isEqualTo("Reverted: " + LATE + "brought back (policy search without onTimeout)");
    assertThat(late(Way.REQUEUE).wentBack())
        .isEqualTo("Requeued: " + LATE + "Requeue (policy search)");
  }

  /** Of hosts that are late together the longest time-out and the most careful way hold. */
  @Test
  void whosePoliciesTheyAreIsSaidOfTheDrainAndOnceItIsLate() {
    Duration longer = Duration.ofMinutes(40);
    BatchScript batchScript = draining(Way.REQUEUE, "a1", "a2");
    batchScript.meanwhile(
        batch -> batch.host("a2", one -> one.drain(terms(longer, Way.FORCE, "slow", "eager"))));
    assertThat(drains(batchScript))
        .extracting(order -> order.facts().get(JobOrder.DRAIN_TERMS))
        .containsOnly("drain: up to 20m (policy web), then Requeue (policy search)");
    assertThat(late(late(batchScript, "a1"), "a2").wentBack())
        .startsWith("Requeued: a1 was not drained within 2400 s")
        .endsWith("; drain: up to 40m (policy slow), then Requeue (policy search)");
  }

  private static DrainTerms terms(Duration timeout, Way way, String timeoutOf, String lateOf) {
    LateDrain late = new LateDrain(way, Duration.ofMinutes(10), Duration.ofHours(1));
    return new DrainTerms(timeout, late, List.of(timeoutOf), List.of(lateOf));
  }

  /** A drain whose time is over with nothing stopped is late all the same. */
  private static BatchScript stopsNothing(Way way) {
    return draining(way, "a1").untouched("Drain a1", Mend.TIME, "not-drained");
  }

  @Test
  void policiesAlsoDecideAboutHostsOnWhichNothingWasStopped() {
    assertThat(stopsNothing(Way.ASK).waitsFor()).isEqualTo("answer to g1.1");
    assertThat(stopsNothing(Way.QUARANTINE).hosts()).isEqualTo("a1 Quarantined");
    assertThat(stopsNothing(Way.REQUEUE).wentBack())
        .startsWith("Requeued: a1 was not drained within");
    assertThat(stopsNothing(Way.REVERT).wentBack())
        .as("it is as it was, and has not failed")
        .startsWith("Requeued: a1 was not drained within");
  }

  @Test
  void aHostOnWhichNothingWasStoppedWaitsAlsoIfTheOneBesideItFailed() {
    BatchScript batchScript =
        draining(Way.REVERT, "a1", "a2").untouched("Drain a1", Mend.TIME, "not-drained");
    assertThat(late(batchScript, "a2").toItsEnd().hosts()).isEqualTo("a1 Requeued, a2 Reverted");
  }

  /** A drain that could not be tried is not late: nobody is asked about it. */
  @Test
  void aDrainThatFailedForAnotherReasonWaits() {
    BatchScript batchScript =
        draining(Way.ASK, "a1").untouched("Drain a1", Mend.TIME, "host-unreachable");
    assertThat(batchScript.wentBack()).startsWith("Requeued: ");
  }

  @Test
  void lateHostsAreKeptAsideAndTheOthersGoOn() {
    BatchScript batchScript =
        late(draining(Way.QUARANTINE, "b1", "b2", "b3"), "b1").done("Drain b2");
    assertThat(batchScript.waitsFor())
        .as("never split while something runs")
        .isEqualTo("g1.Drain.b3.2");
    late(batchScript, "b3");
    assertThat(batchScript.hosts()).isEqualTo("b1 Quarantined, b3 Quarantined");
    assertThat(batchScript.left("b1"))
        .isEqualTo(
            "Quarantined: b1 was not drained within 1200 s (how much was left was not told):"
                + " Drain: requests stay open; nor was 1 other host"
                + "; drain: up to 20m (policy web), then Quarantine (policy search)");
    assertThat(batchScript.toItsEnd().hosts())
        .isEqualTo("b1 Quarantined, b2 Upgraded, b3 Quarantined");
  }

  @Test
  void whoWaitsLongerIsCheckedAnewFirst() {
    BatchScript batchScript = late(Way.ASK);
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    batchScript.answer(Option.WAIT, "soon empty").decide();
    assertThat(open(batchScript).round()).isEqualTo(2);
    assertThat(drains(batchScript)).as("not before the verdict").hasSize(1);
    batchScript.granted().decide();
    assertThat(drains(batchScript)).hasSize(2);
    assertThat(drains(batchScript).getLast().force()).isFalse();
    assertThat(drains(batchScript).getLast().drainMax()).contains(TIMEOUT);
    assertThat(batchScript.host("a1").says()).isEmpty();
    assertThat(batchScript.done("Drain a1").offered()).containsExactly("Update a1");
  }

  @Test
  void whatIsForcedIsCheckedAnewFirstAsWell() {
    BatchScript batchScript = late(Way.FORCE).answer(Option.FORCE, "they agreed");
    assertThat(drains(batchScript)).hasSize(1);
    batchScript.granted();
    assertThat(drains(batchScript).getLast().force()).isTrue();
  }

  @Test
  void whoWouldGoOnGoesBackIfTheNewCheckHolds() {
    BatchScript batchScript = late(Way.ASK).answer(Option.WAIT, "").held("too few up");
    assertThat(batchScript.wentBack()).isEqualTo("Requeued: too few up");
    assertThat(drains(batchScript)).hasSize(1);
  }

  /** The control of the two before: were the old verdict good enough, nobody would look again. */
  @Test
  void anOldVerdictThatCountedWouldBeSeen() {
    BatchScript batchScript = late(Way.ASK);
    Decision before =
        batchScript
            .decisions(Kind.LATE_DRAIN)
            .getLast()
            .answered(new Decision.Answer(Option.WAIT, "any", ""), 0);
    batchScript.meanwhile(batch -> batch.decision(before)).decide();
    assertThat(drains(batchScript)).hasSize(2);
  }

  @Test
  void whoWaitsLongerASecondTimeIsCheckedASecondTime() {
    BatchScript batchScript = late(late(Way.ASK).answer(Option.WAIT, "").granted(), "a1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.2");
    batchScript.answer(Option.WAIT, "");
    assertThat(open(batchScript).round()).isEqualTo(3);
    assertThat(open(batchScript).requested()).isTrue();
    assertThat(drains(batchScript)).hasSize(2);
  }

  @Test
  void aCheckAskedForBeforeTheAnswerDoesNotCount() {
    BatchScript batchScript = late(Way.ASK);
    batchScript.meanwhile(
        batch ->
            batch.check(
                new Check(Check.Kind.OPEN, 2, Check.Verdict.REQUESTED, "", JobBuilder.NOW)));
    batchScript.answer(Option.WAIT, "").granted();
    assertThat(open(batchScript).round()).isEqualTo(3);
    assertThat(open(batchScript).requested()).isTrue();
    assertThat(drains(batchScript)).hasSize(1);
  }

  /** The second Drain was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundRecoversWhatTheFirstTouched() {
    BatchScript batchScript = late(Way.ASK).answer(Option.WAIT, "").granted();
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted")).decide();
    assertThat(batchScript.rounds()).contains("Drain a1 Cancelled");
    assertThat(batchScript.offered()).containsExactly("Recover a1");
  }

  @Test
  void aLaterRunDoesNotDrainBehindTheBackOfWhoIsAsked() {
    BatchScript batchScript = draining(Way.ASK, "i1").failed("Drain i1").anotherRun();
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(drains(batchScript)).hasSize(1);
  }

  @Test
  void whatConsumersTellDecidesBetweenSlowAndStuck() {
    assertThat(told(10))
        .startsWith("Slow a1 was not drained within 1200 s (slow: 3 of 40 requests left");
    assertThat(told(401))
        .startsWith(
            "Stuck a1 was not drained within 1200 s (stuck: 3 of 40 requests left, no less");
    assertThat(pace(late(Way.ASK))).isEqualTo(Decision.Pace.UNKNOWN);
  }

  private static String told(int noLess) {
    BatchScript batchScript = draining(Way.ASK, "a1");
    BatchJob late =
        JobBuilder.job(Step.DRAIN, "a1")
            .round(2)
            .failed("late")
            .left(40, 3, 3, Duration.ofSeconds(noLess))
            .build();
    batchScript.end("Drain a1", _ -> late);
    return pace(batchScript).word() + " " + batchScript.decisions(Kind.LATE_DRAIN).getLast().says();
  }

  private static Decision.Pace pace(BatchScript batchScript) {
    return ((Decision.LateDrain) batchScript.decisions(Kind.LATE_DRAIN).getLast().subject()).pace();
  }

  @Test
  void peopleAreRemindedAndAtLastTheBatchIsRequeued() {
    BatchScript batchScript = late(Way.ASK);
    assertThat(batchScript.nextLook()).contains(JobBuilder.NOW.plus(Duration.ofMinutes(10)));
    assertThat(batchScript.host("a1").says())
        .isEqualTo(LATE + "Ask (policy search); drydock decision answer g1.1");
    batchScript.later(Duration.ofMinutes(9));
    assertThat(batchScript.decided(Action.Remind.class)).isEmpty();
    batchScript.later(Duration.ofMinutes(1));
    assertThat(batchScript.decided(Action.Remind.class)).hasSize(1);
    batchScript.later(Duration.ofMinutes(50));
    assertThat(batchScript.decided(Action.Withdraw.class)).hasSize(1);
    assertThat(batchScript.wentBack())
        .isEqualTo(
            "Requeued: "
                + LATE
                + "Ask (policy search); Requeue by drydock: nobody answered in time");
  }

  /** A claim asked for the check once more while the Drain waits for it. */
  @Test
  void aDrainThatWaitsForAnotherVerdictEndsWithIt() {
    BatchScript batchScript = draining(Way.ASK, "a1");
    batchScript.meanwhile(
        batch ->
            batch.check(
                new Check(
                    Check.Kind.OPEN, 2, Check.Verdict.REQUESTED, "", batchScript.now().now())));
    assertThat(batchScript.decide().offered()).containsExactly("Drain a1");
    assertThat(batchScript.held("too few up").wentBack()).isEqualTo("Requeued: too few up");
  }
}
