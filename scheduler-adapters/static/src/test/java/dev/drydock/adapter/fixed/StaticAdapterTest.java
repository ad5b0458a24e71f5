package dev.drydock.adapter.fixed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Allocation.RotationAddress;
import dev.drydock.adapter.fixed.Allocation.SshAccess;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.LeaseLostException;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Reading;
import dev.drydock.adapter.spi.Work;
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

  private final World world = new World(List.of(WEB, ADS));
  private long marks = 100;

  private StaticAdapter adapter(boolean skipRotation) {
    return adapter(List.of(WEB, ADS), skipRotation);
  }

  private StaticAdapter adapter(List<FixedInstance> instances, boolean skipRotation) {
    return new StaticAdapter(
        () -> allocation(instances),
        new StaticAdapter.Tools(
            world, world, world, world, () -> Instant.ofEpochMilli(world.millis())),
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

  private Work work(int attempt, int seconds, int leaseSeconds) {
    Job job = new Job().setId("g1.Step.h01.1").setGrant("g1").setHost("h01").setRound(1);
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(attempt).setToken("1.7.1." + attempt).setClaim("c");
    Lease lease = new Lease(world, world.millis(), leaseSeconds);
    return new Work(claimed, lease, world, world.millis() + seconds * 1000L, () -> ++marks);
  }

  private Work work() {
    return work(1, 600, 600);
  }

  private void serveFor(int seconds) {
    world.pause(java.time.Duration.ofSeconds(seconds));
  }

  private void freeze() throws InterruptedException {
    assertThat(adapter.freeze(work())).isInstanceOf(Outcome.Done.class);
    world.log.clear();
  }

  @Test
  void aDrainedHostLosesNoRequest() throws InterruptedException {
    freeze();
    serveFor(1);
    world.request(WEB, 8000);
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Done.class);
    serveFor(10);
    assertThat(world.failedRequests).isZero();
    assertThat(world.answeredRequests).isGreaterThan(20);
    assertThat(world.runs(WEB) || world.runs(ADS)).isFalse();
    assertThat(world.log)
        .containsExactly("claim 1.7.1.1", "out web@h01", "out ads@h01", "stop [web, ads]");
  }

  @Test
  void theCheckAboveSeesADrainInTheWrongOrder() throws InterruptedException {
    freeze();
    serveFor(1);
    assertThat(adapter(true).drain(work())).isInstanceOf(Outcome.Done.class);
    serveFor(10);
    assertThat(world.failedRequests).isPositive();
    assertThat(world.log).doesNotContain("out web@h01");
  }

  @Test
  void putsBackWhatItTookWhenRequestsStayOpen() throws InterruptedException {
    world.serves(ADS);
    freeze();
    world.request(WEB, 3_600_000);
    Outcome outcome = adapter.drain(work(1, 60, 600));
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message())
        .contains("web@h01 still has 1 open requests", "nothing was stopped");
    assertThat(world.serves(WEB) && world.serves(ADS)).isTrue();
    assertThat(world.log).noneMatch(entry -> entry.startsWith("stop"));
  }

  @Test
  void drainsForAsLongAsPoliciesSayAndWithoutThemForAsLongAsThereIs() throws InterruptedException {
    freeze();
    world.request(WEB, 3_600_000);
    assertThat(secondsToGiveUp(work(1, 60, 600))).isBetween(50L, 51L);
    Work limited = work(1, 60, 600);
    limited.job().setDrainSecondsMax(5);
    assertThat(secondsToGiveUp(limited)).isBetween(5L, 6L);
    Work generous = work(1, 60, 600);
    generous.job().setDrainSecondsMax(300);
    assertThat(secondsToGiveUp(generous)).isBetween(50L, 51L);
  }

  /** The control: an attempt before this one has stopped something. */
  @Test
  void aDrainThatGaveUpKnowsWhetherAnythingWasStopped() throws InterruptedException {
    freeze();
    world.request(WEB, 3_600_000);
    Outcome.Failed untouched = (Outcome.Failed) adapter.drain(work(2, 60, 600));
    assertThat(untouched.cause().untouched()).isTrue();
    assertThat(untouched.cause().mend()).contains(JobMend.Time);
    world.down(ADS);
    Outcome.Failed halfDone = (Outcome.Failed) adapter.drain(work(2, 60, 600));
    assertThat(halfDone.cause().untouched()).isFalse();
  }

  @Test
  void whatWasPutBackWhileItsHostIsWorkedOnIsTakenOutAgainAndTold() throws Exception {
    freeze();
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Done.class);
    Set<String> hosts = Set.of("h01", "h02");
    assertThat(adapter.admitted(hosts)).isEmpty();
    world.putIn(WEB);
    assertThat(adapter.admitted(hosts)).as("also while nothing runs there").containsExactly("h01");
    assertThat(adapter.takeOut("h01", lease())).containsExactly("web@h01");
    assertThat(world.serves(WEB)).isFalse();
    world.boot();
    assertThat(adapter.observe().instances())
        .filteredOn(report -> report.getId().equals("web@h01"))
        .extracting(InstanceReport::getDetail)
        .singleElement()
        .asString()
        .contains("somebody put it back at 1970-01-01T00:", "taken out again");
    assertThat(adapter.recover(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.serves(WEB) && world.serves(ADS)).isTrue();
  }

  @Test
  void whatWasTakenOutByMistakeGoesBack() throws Exception {
    world.takeOut(ADS);
    List<String> taken = adapter.takeOut("h01", lease());
    assertThat(taken).containsExactly("web@h01");
    adapter.putBack("h01", taken, lease());
    assertThat(world.serves(WEB)).isTrue();
    assertThat(world.serves(ADS)).as("that was somebody else").isFalse();
  }

  private Lease lease() {
    return new Lease(world, world.millis(), 5);
  }

  private long secondsToGiveUp(Work work) throws InterruptedException {
    long began = world.millis();
    assertThat(adapter.drain(work)).isInstanceOf(Outcome.Failed.class);
    return (world.millis() - began) / 1000;
  }

  /** The control is the test before: without force nothing is stopped. */
  @Test
  void byForceItStopsWhatStaysOpenAndSaysSo() throws InterruptedException {
    freeze();
    world.request(WEB, 3_600_000);
    Work forced = work();
    forced.job().setForce(true);
    Outcome outcome = adapter.drain(forced);
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    assertThat(outcome.message())
        .contains("by force", "web@h01 still has 1 open requests in the balancer");
    assertThat(world.runs(WEB) || world.runs(ADS)).isFalse();
    assertThat(world.log)
        .containsExactly("claim 1.7.1.1", "out web@h01", "out ads@h01", "stop [web, ads]");
  }

  @Test
  void forceLeavesAMomentToWhatEndsByItself() throws InterruptedException {
    freeze();
    world.request(WEB, 3000);
    Work forced = work();
    forced.job().setForce(true);
    assertThat(adapter.drain(forced).message()).doesNotContain("by force");
    assertThat(world.failedRequests).isZero();
  }

  @Test
  void tellsHowMuchIsLeftWhileItWaits() throws InterruptedException {
    freeze();
    world.request(WEB, 3_600_000);
    world.request(ADS, 3_600_000);
    world.request(ADS, 2000);
    Work work = work(1, 60, 600);
    Set<Long> told = new TreeSet<>();
    world.meanwhile = () -> work.told().last().ifPresent(left -> told.add(left.getCount()));
    assertThat(adapter.drain(work)).isInstanceOf(Outcome.Failed.class);
    assertThat(told).containsExactly(2L, 3L);
    assertThat(work.told().last().orElseThrow().getWhat()).isEqualTo("requests");
  }

  @Test
  void neverPutsInWhatWasOutBefore() throws Exception {
    world.takeOut(ADS);
    freeze();
    world.request(WEB, 3_600_000);
    adapter.drain(work(1, 60, 600));
    assertThat(world.serves(WEB)).isTrue();
    assertThat(world.serves(ADS)).isFalse();
    assertThat(adapter.recover(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.serves(ADS)).isFalse();
  }

  @Test
  void takesOutAgainWhatSomebodyPutBackMeanwhile() throws InterruptedException {
    freeze();
    world.request(WEB, 5000);
    int[] pauses = {0};
    world.meanwhile =
        () -> {
          if (pauses[0]++ == 3) {
            world.putIn(ADS);
          }
        };
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.failedRequests).isZero();
    assertThat(world.log).filteredOn("out ads@h01"::equals).hasSize(2);
  }

  @Test
  void startsNoEffectAfterItsLeaseEnded() throws InterruptedException {
    freeze();
    world.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(world.log).noneMatch(entry -> entry.startsWith("stop"));
    assertThat(world.runs(WEB)).isTrue();
  }

  @Test
  void theNextAttemptFinishesWhatADeadOneBegan() throws InterruptedException {
    freeze();
    world.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(adapter.drain(work(2, 600, 600))).isInstanceOf(Outcome.Done.class);
    assertThat(world.failedRequests).isZero();
    // And one that died after everything was done: read first, nothing left to do.
    world.log.clear();
    assertThat(adapter.drain(work(3, 600, 600))).isInstanceOf(Outcome.Done.class);
    assertThat(world.log).containsExactly("claim 1.7.1.3");
  }

  @Test
  void theCheckAboveSeesAnAttemptThatDoesNotReadFirst() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.forgetful = true;
    world.log.clear();
    assertThat(adapter.drain(work(2, 600, 600))).isInstanceOf(Outcome.Done.class);
    assertThat(world.log).containsExactly("claim 1.7.1.2", "stop [web, ads]");
  }

  @Test
  void theNextAttemptWaitsUntilTheRotationIsQuiet() throws InterruptedException {
    freeze();
    world.request(WEB, 30_000);
    assertThatThrownBy(() -> adapter.drain(work(1, 600, 15)))
        .isInstanceOf(LeaseLostException.class);
    world.putIn(WEB);
    world.log.clear();
    int[] pauses = {0};
    world.meanwhile =
        () -> {
          if (pauses[0]++ == 0) {
            world.takeOut(WEB); // What the first attempt sent and nobody saw arrive.
          }
        };
    assertThat(adapter.recover(work(2, 600, 600))).isInstanceOf(Outcome.Done.class);
    assertThat(pauses[0]).isEqualTo(2);
    assertThat(world.log).startsWith("out web@h01", "claim 1.7.1.2");
    assertThat(world.serves(WEB)).isTrue();
  }

  @Test
  void recoversInOrderAndReadsAfterTheLastEffect() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.boot();
    world.log.clear();
    Outcome outcome = adapter.recover(work());
    assertThat(world.log)
        .containsExactly("claim 1.7.1.1", "start [web, ads]", "in web@h01", "in ads@h01", "lift");
    Reading reading = ((Outcome.Done) outcome).reading().orElseThrow();
    assertThat(reading.mark()).isEqualTo(marks);
    assertThat(reading.instances())
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Healthy);
    assertThat(world.cordonNow()).isEmpty();
  }

  @Test
  void anInstanceStartedByTheBootGetsNoTrafficBeforeRecover() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.boot();
    assertThat(world.serves(WEB) || world.serves(ADS)).isFalse();
    assertThat(adapter.observe().instances())
        .extracting(InstanceReport::getDetail)
        .containsOnly("out of rotation");
    assertThat(adapter.observe().instances())
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Unhealthy);
  }

  @Test
  void recoverDeploysWhatAnInstallationTookAway() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.install();
    assertThat(adapter.recover(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.log).contains("deploy {ads=exec ads, web=exec web}");
    assertThat(world.serves(WEB) && world.serves(ADS)).isTrue();
    assertThat(world.runs(WEB) && world.runs(ADS)).isTrue();
  }

  /** Of what is there nothing is written anew: its team may have changed it. */
  @Test
  void recoverDeploysOnlyWhatIsNotThere() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.absent.add("ads");
    assertThat(adapter.recover(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.log).contains("deploy {ads=exec ads}");
  }

  @Test
  void aListThatCannotDeployWhatIsGoneSaysWhatItLacks() throws InterruptedException {
    FixedInstance old =
        new FixedInstance("ads@h01", "ads", "h01", 8103, "/health", "ads", "z1", 1, "");
    StaticAdapter without = adapter(List.of(WEB, old), false);
    assertThat(without.freeze(work())).isInstanceOf(Outcome.Done.class);
    without.drain(work());
    world.install();
    world.log.clear();
    Outcome outcome = without.recover(work());
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message())
        .contains("h01 has no service ads, and the allocation list has no `run` for ads@h01");
    assertThat(world.log).containsExactly("claim 1.7.1.1");
  }

  /** Somebody took a host over that was given up between its installation and its recovery. */
  @Test
  void whatIsNotThereNeedsNoStop() throws InterruptedException {
    world.takeOut(WEB);
    world.takeOut(ADS);
    world.install();
    freeze();
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Done.class);
    world.absent.remove("web");
    world.boot();
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.log).endsWith("stop [web]");
  }

  @Test
  void tellsTheBootIdOfAHostIfOneOfItsInstancesDoes() throws InterruptedException {
    assertThat(adapter.observe().hosts().getFirst().hasBootId()).isFalse();
    world.ill.put(WEB.id(), new Prober.Health.Ready(0, "b1"));
    assertThat(adapter.observe().hosts().getFirst().getBootId()).isEqualTo("b1");
  }

  @Test
  void leavesASickInstanceOutOfRotation() throws InterruptedException {
    freeze();
    adapter.drain(work());
    world.startsSick = true;
    Outcome outcome = adapter.recover(work());
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message()).contains("web@h01 does not become healthy: warming up");
    assertThat(world.serves(WEB)).isFalse();
    assertThat(world.cordonNow()).isPresent();
  }

  @Test
  void recoversAgainAfterDyingBetweenLiftAndReport() throws Exception {
    world.takeOut(ADS);
    freeze();
    adapter.drain(work());
    adapter.recover(work());
    world.log.clear();
    assertThat(adapter.recover(work(2, 600, 600))).isInstanceOf(Outcome.Done.class);
    assertThat(world.serves(ADS)).isFalse();
    assertThat(world.log).containsExactly("claim 1.7.1.2", "start [web, ads]");
  }

  @Test
  void aSecondFreezeKeepsWhatTheFirstSaw() throws InterruptedException {
    freeze();
    adapter.drain(work());
    adapter.freeze(work(2, 600, 600));
    assertThat(world.cordonNow().orElseThrow().serving()).containsExactly("web@h01", "ads@h01");
  }

  @Test
  void liftsTheFreezeOfAHostThatWasNotDrained() throws InterruptedException {
    freeze();
    assertThat(adapter.unfreeze(work())).isInstanceOf(Outcome.Done.class);
    assertThat(world.cordonNow()).isEmpty();
    assertThat(adapter.unfreeze(work(2, 600, 600))).isInstanceOf(Outcome.Done.class);
  }

  @Test
  void cannotTellAboutAHostOutOfReachOrTakenByANewerToken() throws InterruptedException {
    world.reachable = false;
    assertThat(adapter.freeze(work())).isInstanceOf(Outcome.Unknown.class);
    world.reachable = true;
    world.fenced = true;
    assertThat(adapter.drain(work())).isInstanceOf(Outcome.Unknown.class);
    assertThat(world.serves(WEB)).isTrue();
  }

  @Test
  void touchesNothingThatIsNotInItsList() throws InterruptedException {
    Job job = new Job().setId("g1.Drain.h99.1").setGrant("g1").setHost("h99");
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(1).setToken("1.7.1.1").setClaim("c");
    Work work =
        new Work(
            claimed, new Lease(world, world.millis(), 15), world, world.millis() + 1000, () -> 1);
    assertThat(adapter.drain(work)).isInstanceOf(Outcome.Failed.class);
    assertThat(world.log).isEmpty();
  }
}
