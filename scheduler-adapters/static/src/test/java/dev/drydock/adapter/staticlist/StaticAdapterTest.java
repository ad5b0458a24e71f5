package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.HostReading;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.LeaseLostException;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.HealthState;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class StaticAdapterTest {
  private static final FixedHost HOST =
      new FixedHost("h01", "10.0.0.11", "standard", Map.of(), Map.of("web", "z1", "ads", "z1"));
  private static final FixedInstance WEB =
      new FixedInstance("web@h01", "web", "h01", 8101, "/health", "web", "z1", 1, "exec web");
  private static final FixedInstance ADS =
      new FixedInstance("ads@h01", "ads", "h01", 8103, "/health", "ads", "z1", 1, "exec ads");

  private final SimulatedHost simulatedHost = new SimulatedHost(List.of(WEB, ADS));
  private long marks = 100;

  private StaticAdapter adapter(boolean skipRotation) {
    return adapter(List.of(WEB, ADS), skipRotation);
  }

  private StaticAdapter adapter(List<FixedInstance> instances, boolean skipRotation) {
    return new StaticAdapter(
        () -> allocation(instances),
        new StaticAdapter.Tools(
            simulatedHost,
            simulatedHost,
            simulatedHost,
            simulatedHost,
            () -> Instant.ofEpochMilli(simulatedHost.millis())),
        skipRotation);
  }

  private static Allocation allocation(List<FixedInstance> instances) {
    return new Allocation(
        "static",
        "static",
        new SshAccess("root", Path.of("key"), Path.of("known")),
        new RotationAddress("haproxy", "127.0.0.1", 1),
        List.of(HOST),
        instances);
  }

  private final StaticAdapter adapter = adapter(false);

  private ClaimedStep work(int attempt, int seconds, int leaseSeconds) {
    Job job = new Job().setId("g1.Step.h01.1").setGrant("g1").setHost("h01").setRound(1);
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(attempt).setToken("1.7.1." + attempt).setClaim("c");
    Lease lease = new Lease(simulatedHost, simulatedHost.millis(), leaseSeconds);
    return new ClaimedStep(
        claimed, lease, simulatedHost, simulatedHost.millis() + seconds * 1000L, () -> ++marks);
  }

  private ClaimedStep work() {
    return work(1, 600, 600);
  }

  private void serveFor(int seconds) {
    simulatedHost.pause(java.time.Duration.ofSeconds(seconds));
  }

  private void cordon() throws InterruptedException {
    assertThat(adapter.cordon(work())).isInstanceOf(StepOutcome.Done.class);
    simulatedHost.log.clear();
  }

  @Test
  void aDrainedHostLosesNoRequest() throws InterruptedException {
    cordon();
    serveFor(1);
    simulatedHost.request(WEB, 8000);
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Done.class);
    serveFor(10);
    assertThat(simulatedHost.failedRequests).isZero();
    assertThat(simulatedHost.answeredRequests).isGreaterThan(20);
    assertThat(simulatedHost.runs(WEB) || simulatedHost.runs(ADS)).isFalse();
    assertThat(simulatedHost.log)
        .containsExactly("claim 1.7.1.1", "out web@h01", "out ads@h01", "stop [web, ads]");
  }

  @Test
  void theCheckAboveSeesADrainInTheWrongOrder() throws InterruptedException {
    cordon();
    serveFor(1);
    assertThat(adapter(true).drain(work())).isInstanceOf(StepOutcome.Done.class);
    serveFor(10);
    assertThat(simulatedHost.failedRequests).isPositive();
    assertThat(simulatedHost.log).doesNotContain("out web@h01");
  }

  @Test
  void putsBackWhatItTookWhenRequestsStayOpen() throws InterruptedException {
    simulatedHost.serves(ADS);
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    StepOutcome stepOutcome = adapter.drain(work(1, 60, 600));
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message())
        .contains("web@h01 still has 1 open requests", "nothing was stopped");
    assertThat(simulatedHost.serves(WEB) && simulatedHost.serves(ADS)).isTrue();
    assertThat(simulatedHost.log).noneMatch(entry -> entry.startsWith("stop"));
  }

  @Test
  void drainsForAsLongAsPoliciesSayAndWithoutThemForAsLongAsThereIs() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    assertThat(secondsToGiveUp(work(1, 60, 600))).isBetween(50L, 51L);
    ClaimedStep limited = work(1, 60, 600);
    limited.job().setDrainSecondsMax(5);
    assertThat(secondsToGiveUp(limited)).isBetween(5L, 6L);
    ClaimedStep generous = work(1, 60, 600);
    generous.job().setDrainSecondsMax(300);
    assertThat(secondsToGiveUp(generous)).isBetween(50L, 51L);
  }

  /** The control: an attempt before this one has stopped something. */
  @Test
  void aDrainThatGaveUpKnowsWhetherAnythingWasStopped() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    StepOutcome.Failed untouched = (StepOutcome.Failed) adapter.drain(work(2, 60, 600));
    assertThat(untouched.cause().untouched()).isTrue();
    assertThat(untouched.cause().mend()).contains(JobMend.Time);
    simulatedHost.down(ADS);
    StepOutcome.Failed halfDone = (StepOutcome.Failed) adapter.drain(work(2, 60, 600));
    assertThat(halfDone.cause().untouched()).isFalse();
  }

  @Test
  void whatWasPutBackWhileItsHostIsWorkedOnIsTakenOutAgainAndTold() throws Exception {
    cordon();
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Done.class);
    Set<String> hosts = Set.of("h01", "h02");
    assertThat(adapter.admitted(hosts)).isEmpty();
    simulatedHost.putIn(WEB);
    assertThat(adapter.admitted(hosts)).as("also while nothing runs there").containsExactly("h01");
    assertThat(adapter.takeOut("h01", lease())).containsExactly("web@h01");
    assertThat(simulatedHost.serves(WEB)).isFalse();
    simulatedHost.boot();
    assertThat(adapter.observe().instances())
        .filteredOn(report -> report.getId().equals("web@h01"))
        .extracting(InstanceReport::getDetail)
        .singleElement()
        .asString()
        .contains("somebody put it back at 1970-01-01T00:", "taken out again");
    assertThat(adapter.recover(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.serves(WEB) && simulatedHost.serves(ADS)).isTrue();
  }

  @Test
  void whatWasTakenOutByMistakeGoesBack() throws Exception {
    simulatedHost.takeOut(ADS);
    List<String> taken = adapter.takeOut("h01", lease());
    assertThat(taken).containsExactly("web@h01");
    adapter.putBack("h01", taken, lease());
    assertThat(simulatedHost.serves(WEB)).isTrue();
    assertThat(simulatedHost.serves(ADS)).as("that was somebody else").isFalse();
  }

  private Lease lease() {
    return new Lease(simulatedHost, simulatedHost.millis(), 5);
  }

  private long secondsToGiveUp(ClaimedStep claimedStep) throws InterruptedException {
    long began = simulatedHost.millis();
    assertThat(adapter.drain(claimedStep)).isInstanceOf(StepOutcome.Failed.class);
    return (simulatedHost.millis() - began) / 1000;
  }

  /** The control is the test before: without force nothing is stopped. */
  @Test
  void byForceItStopsWhatStaysOpenAndSaysSo() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    ClaimedStep forced = work();
    forced.job().setForce(true);
    StepOutcome stepOutcome = adapter.drain(forced);
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Done.class);
    assertThat(stepOutcome.message())
        .contains("by force", "web@h01 still has 1 open requests in the balancer");
    assertThat(simulatedHost.runs(WEB) || simulatedHost.runs(ADS)).isFalse();
    assertThat(simulatedHost.log)
        .containsExactly("claim 1.7.1.1", "out web@h01", "out ads@h01", "stop [web, ads]");
  }

  @Test
  void forceLeavesAMomentToWhatEndsByItself() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 3000);
    ClaimedStep forced = work();
    forced.job().setForce(true);
    assertThat(adapter.drain(forced).message()).doesNotContain("by force");
    assertThat(simulatedHost.failedRequests).isZero();
  }

  @Test
  void tellsHowMuchIsLeftWhileItWaits() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    simulatedHost.request(ADS, 3_600_000);
    simulatedHost.request(ADS, 2000);
    ClaimedStep claimedStep = work(1, 60, 600);
    Set<Long> told = new TreeSet<>();
    simulatedHost.meanwhile =
        () -> claimedStep.told().last().ifPresent(left -> told.add(left.getCount()));
    assertThat(adapter.drain(claimedStep)).isInstanceOf(StepOutcome.Failed.class);
    assertThat(told).containsExactly(2L, 3L);
    assertThat(claimedStep.told().last().orElseThrow().getWhat()).isEqualTo("requests");
  }

  @Test
  void neverPutsInWhatWasOutBefore() throws Exception {
    simulatedHost.takeOut(ADS);
    cordon();
    simulatedHost.request(WEB, 3_600_000);
    adapter.drain(work(1, 60, 600));
    assertThat(simulatedHost.serves(WEB)).isTrue();
    assertThat(simulatedHost.serves(ADS)).isFalse();
    assertThat(adapter.recover(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.serves(ADS)).isFalse();
  }

  @Test
  void takesOutAgainWhatSomebodyPutBackMeanwhile() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 5000);
    int[] pauses = {0};
    simulatedHost.meanwhile =
        () -> {
          if (pauses[0]++ == 3) {
            simulatedHost.putIn(ADS);
          }
        };
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.failedRequests).isZero();
    assertThat(simulatedHost.log).filteredOn("out ads@h01"::equals).hasSize(2);
  }

  @Test
  void startsNoEffectAfterItsLeaseEnded() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(simulatedHost.log).noneMatch(entry -> entry.startsWith("stop"));
    assertThat(simulatedHost.runs(WEB)).isTrue();
  }

  @Test
  void theNextAttemptFinishesWhatADeadOneBegan() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(adapter.drain(work(2, 600, 600))).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.failedRequests).isZero();
    // And one that died after everything was done: read first, nothing left to do.
    simulatedHost.log.clear();
    assertThat(adapter.drain(work(3, 600, 600))).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.log).containsExactly("claim 1.7.1.3");
  }

  @Test
  void theCheckAboveSeesAnAttemptThatDoesNotReadFirst() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.forgetful = true;
    simulatedHost.log.clear();
    assertThat(adapter.drain(work(2, 600, 600))).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.log).containsExactly("claim 1.7.1.2", "stop [web, ads]");
  }

  @Test
  void theNextAttemptWaitsUntilTheRotationIsQuiet() throws InterruptedException {
    cordon();
    simulatedHost.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    simulatedHost.putIn(WEB);
    simulatedHost.log.clear();
    int[] pauses = {0};
    simulatedHost.meanwhile =
        () -> {
          if (pauses[0]++ == 0) {
            simulatedHost.takeOut(WEB); // What the first attempt sent and nobody saw arrive.
          }
        };
    assertThat(adapter.recover(work(2, 600, 600))).isInstanceOf(StepOutcome.Done.class);
    assertThat(pauses[0]).isEqualTo(2);
    assertThat(simulatedHost.log).startsWith("out web@h01", "claim 1.7.1.2");
    assertThat(simulatedHost.serves(WEB)).isTrue();
  }

  @Test
  void recoversInOrderAndReadsAfterTheLastEffect() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.boot();
    simulatedHost.log.clear();
    StepOutcome stepOutcome = adapter.recover(work());
    assertThat(simulatedHost.log)
        .containsExactly("claim 1.7.1.1", "start [web, ads]", "in web@h01", "in ads@h01", "lift");
    HostReading hostReading = ((StepOutcome.Done) stepOutcome).reading().orElseThrow();
    assertThat(hostReading.mark()).isEqualTo(marks);
    assertThat(hostReading.instances())
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Healthy);
    assertThat(simulatedHost.cordonNow()).isEmpty();
  }

  @Test
  void anInstanceStartedByTheBootGetsNoTrafficBeforeRecover() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.boot();
    assertThat(simulatedHost.serves(WEB) || simulatedHost.serves(ADS)).isFalse();
    assertThat(adapter.observe().instances())
        .extracting(InstanceReport::getDetail)
        .containsOnly("out of rotation");
    assertThat(adapter.observe().instances())
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Unhealthy);
  }

  @Test
  void recoverDeploysWhatAnInstallationTookAway() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.install();
    assertThat(adapter.recover(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.log).contains("deploy {ads=exec ads, web=exec web}");
    assertThat(simulatedHost.serves(WEB) && simulatedHost.serves(ADS)).isTrue();
    assertThat(simulatedHost.runs(WEB) && simulatedHost.runs(ADS)).isTrue();
  }

  /** Of what is there nothing is written anew: its team may have changed it. */
  @Test
  void recoverDeploysOnlyWhatIsNotThere() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.absent.add("ads");
    assertThat(adapter.recover(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.log).contains("deploy {ads=exec ads}");
  }

  @Test
  void aListThatCannotDeployWhatIsGoneSaysWhatItLacks() throws InterruptedException {
    FixedInstance old =
        new FixedInstance("ads@h01", "ads", "h01", 8103, "/health", "ads", "z1", 1, "");
    StaticAdapter without = adapter(List.of(WEB, old), false);
    assertThat(without.cordon(work())).isInstanceOf(StepOutcome.Done.class);
    without.drain(work());
    simulatedHost.install();
    simulatedHost.log.clear();
    StepOutcome stepOutcome = without.recover(work());
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message())
        .contains("h01 has no service ads, and the allocation list has no `run` for ads@h01");
    assertThat(simulatedHost.log).containsExactly("claim 1.7.1.1");
  }

  /** Somebody took a host over that was given up between its installation and its recovery. */
  @Test
  void whatIsNotThereNeedsNoStop() throws InterruptedException {
    simulatedHost.takeOut(WEB);
    simulatedHost.takeOut(ADS);
    simulatedHost.install();
    cordon();
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Done.class);
    simulatedHost.absent.remove("web");
    simulatedHost.boot();
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.log).endsWith("stop [web]");
  }

  @Test
  void tellsTheBootIdOfAHostIfOneOfItsInstancesDoes() throws InterruptedException {
    assertThat(adapter.observe().hosts().getFirst().hasBootId()).isFalse();
    simulatedHost.ill.put(WEB.id(), new Prober.Health.Ready(0, "b1"));
    assertThat(adapter.observe().hosts().getFirst().getBootId()).isEqualTo("b1");
  }

  @Test
  void leavesASickInstanceOutOfRotation() throws InterruptedException {
    cordon();
    adapter.drain(work());
    simulatedHost.startsSick = true;
    StepOutcome stepOutcome = adapter.recover(work());
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message()).contains("web@h01 does not become healthy: warming up");
    assertThat(simulatedHost.serves(WEB)).isFalse();
    assertThat(simulatedHost.cordonNow()).isPresent();
  }

  @Test
  void recoversAgainAfterDyingBetweenLiftAndReport() throws Exception {
    simulatedHost.takeOut(ADS);
    cordon();
    adapter.drain(work());
    adapter.recover(work());
    simulatedHost.log.clear();
    assertThat(adapter.recover(work(2, 600, 600))).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.serves(ADS)).isFalse();
    assertThat(simulatedHost.log).containsExactly("claim 1.7.1.2", "start [web, ads]");
  }

  @Test
  void aSecondCordonKeepsWhatTheFirstSaw() throws InterruptedException {
    cordon();
    adapter.drain(work());
    adapter.cordon(work(2, 600, 600));
    assertThat(simulatedHost.cordonNow().orElseThrow().serving())
        .containsExactly("web@h01", "ads@h01");
  }

  @Test
  void liftsTheCordonOfAHostThatWasNotDrained() throws InterruptedException {
    cordon();
    assertThat(adapter.uncordon(work())).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.cordonNow()).isEmpty();
    assertThat(adapter.uncordon(work(2, 600, 600))).isInstanceOf(StepOutcome.Done.class);
  }

  @Test
  void cannotTellAboutAHostOutOfReachOrTakenByANewerToken() throws InterruptedException {
    simulatedHost.reachable = false;
    assertThat(adapter.cordon(work())).isInstanceOf(StepOutcome.Unknown.class);
    simulatedHost.reachable = true;
    simulatedHost.fenced = true;
    assertThat(adapter.drain(work())).isInstanceOf(StepOutcome.Unknown.class);
    assertThat(simulatedHost.serves(WEB)).isTrue();
  }

  @Test
  void touchesNothingThatIsNotInItsList() throws InterruptedException {
    Job job = new Job().setId("g1.Drain.h99.1").setGrant("g1").setHost("h99");
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(1).setToken("1.7.1.1").setClaim("c");
    ClaimedStep claimedStep =
        new ClaimedStep(
            claimed,
            new Lease(simulatedHost, simulatedHost.millis(), 15),
            simulatedHost,
            simulatedHost.millis() + 1000,
            () -> 1);
    assertThat(adapter.drain(claimedStep)).isInstanceOf(StepOutcome.Failed.class);
    assertThat(simulatedHost.log).isEmpty();
  }
}
