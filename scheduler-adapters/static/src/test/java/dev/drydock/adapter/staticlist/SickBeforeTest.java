package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import dev.drydock.adapter.staticlist.Prober.Health;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.Job;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A host with a healthy instance beside one that was broken before anybody came. */
final class SickBeforeTest {
  private static final FixedHost HOST =
      new FixedHost("h01", "10.0.0.11", "standard", Map.of(), Map.of("web", "z1", "ads", "z1"));
  private static final FixedInstance WEB =
      new FixedInstance("web@h01", "web", "h01", 8101, "/health", "web", "z1", 1, "");
  private static final FixedInstance ADS =
      new FixedInstance("ads@h01", "ads", "h01", 8103, "/health", "ads", "z1", 1, "");
  private static final Health NOT_READY = new Health.NotReady(0, "no index");
  private static final Health HUNG = new Health.Silent("no answer within 1 s");

  private final SimulatedHost simulatedHost = new SimulatedHost(List.of(WEB, ADS));
  private final StaticAdapter adapter =
      new StaticAdapter(
          () ->
              new Allocation(
                  "static",
                  "static",
                  new SshAccess("root", Path.of("key"), Path.of("known")),
                  new RotationAddress("haproxy", "127.0.0.1", 1),
                  List.of(HOST),
                  List.of(WEB, ADS)),
          new StaticAdapter.Tools(
              simulatedHost,
              simulatedHost,
              simulatedHost,
              simulatedHost,
              () -> Instant.ofEpochMilli(simulatedHost.millis())),
          false);
  private long marks = 100;

  private ClaimedStep work(String grant) {
    Job job = new Job().setId(grant + ".Step.h01.1").setGrant(grant).setHost("h01").setRound(1);
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(1).setToken("1.7.1.1").setClaim("c");
    Lease lease = new Lease(simulatedHost, simulatedHost.millis(), 600);
    return new ClaimedStep(
        claimed, lease, simulatedHost, simulatedHost.millis() + 600_000L, () -> ++marks);
  }

  private void cordonAndDrain() throws InterruptedException {
    assertThat(adapter.cordon(work("g1"))).isInstanceOf(StepOutcome.Done.class);
    StepOutcome drained = adapter.drain(work("g1"));
    assertThat(drained).as(drained.message()).isInstanceOf(StepOutcome.Done.class);
  }

  private StepOutcome recover() throws InterruptedException {
    simulatedHost.boot();
    simulatedHost.log.clear();
    return adapter.recover(work("g1"));
  }

  @Test
  void recoverDoesNotWaitForIt() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    long began = simulatedHost.millis();
    StepOutcome stepOutcome = recover();
    assertThat(stepOutcome).as(stepOutcome.message()).isInstanceOf(StepOutcome.Done.class);
    assertThat(stepOutcome.message())
        .contains("ads@h01 was not healthy before the cordon either")
        .doesNotContain("web@h01 was not");
    assertThat(simulatedHost.millis() - began).isLessThan(1000);
    assertThat(simulatedHost.runs(ADS)).isTrue();
    assertThat(simulatedHost.serves(WEB) && simulatedHost.serves(ADS)).isTrue();
    assertThat(simulatedHost.cordonNow()).isEmpty();
  }

  @Test
  void itStaysOutOfRotationWhenItWasOut() throws Exception {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    simulatedHost.takeOut(ADS);
    cordonAndDrain();
    assertThat(recover()).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.serves(WEB)).isTrue();
    assertThat(simulatedHost.serves(ADS)).isFalse();
  }

  @Test
  void itIsNotNamedWhenItIsHealthyNow() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    simulatedHost.ill.clear();
    assertThat(recover().message()).isEqualTo("web@h01, ads@h01 serve again on h01");
  }

  @Test
  void aServiceThatDoesNotStartIsNoFailureWhenItDidNotRunWellBefore() throws InterruptedException {
    simulatedHost.broken.add("ads");
    simulatedHost.down(ADS);
    cordonAndDrain();
    StepOutcome stepOutcome = recover();
    assertThat(stepOutcome).as(stepOutcome.message()).isInstanceOf(StepOutcome.Done.class);
    assertThat(stepOutcome.message()).contains("ads@h01 was not healthy before the cordon either");
    assertThat(simulatedHost.serves(WEB)).isTrue();
  }

  @Test
  void aServiceThatWasDownIsStarted() throws InterruptedException {
    simulatedHost.down(ADS);
    cordonAndDrain();
    simulatedHost.log.clear();
    assertThat(adapter.recover(work("g1"))).isInstanceOf(StepOutcome.Done.class);
    assertThat(simulatedHost.runs(ADS)).isTrue();
  }

  @Test
  void whatWasHealthyThenMustBeHealthyAgain() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    simulatedHost.ill.put(WEB.id(), NOT_READY);
    StepOutcome stepOutcome = recover();
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message()).contains("web@h01 does not become healthy: no index");
    assertThat(simulatedHost.serves(WEB) || simulatedHost.serves(ADS)).isFalse();
  }

  @Test
  void withoutACordonOfThisGrantAllMustBeHealthy() throws Exception {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    simulatedHost.loseCordon();
    StepOutcome stepOutcome = recover();
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message()).contains("ads@h01 does not become healthy: no index");
    simulatedHost.cordon(
        HOST, work("g0"), new CordonMark("g0", List.of(WEB.id()), List.of(ADS.id())));
    assertThat(recover()).isInstanceOf(StepOutcome.Failed.class);
  }

  @Test
  void aHungOneIsDrainedByTheCountOfTheBalancer() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), HUNG);
    simulatedHost.request(ADS, 8000);
    cordonAndDrain();
    assertThat(simulatedHost.failedRequests).isZero();
    assertThat(simulatedHost.answeredRequests).isPositive();
    assertThat(simulatedHost.runs(WEB) || simulatedHost.runs(ADS)).isFalse();
    assertThat(recover()).isInstanceOf(StepOutcome.Done.class);
  }

  @Test
  void itsOwnCountIsNotBelieved() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), new Health.NotReady(4, "no index"));
    cordonAndDrain();
    assertThat(simulatedHost.runs(WEB) || simulatedHost.runs(ADS)).isFalse();
  }

  @Test
  void oneThatHangsOnlySinceTheCordonStopsTheDrain() throws InterruptedException {
    adapter.cordon(work("g1"));
    simulatedHost.ill.put(ADS.id(), HUNG);
    StepOutcome stepOutcome = adapter.drain(work("g1"));
    assertThat(stepOutcome).isInstanceOf(StepOutcome.Failed.class);
    assertThat(stepOutcome.message()).contains("ads@h01 does not tell how many requests are open");
  }

  @Test
  void whatAnOlderGrantBrokeIsNotExcused() throws Exception {
    simulatedHost.cordon(
        HOST, work("g0"), new CordonMark("g0", List.of(WEB.id(), ADS.id()), List.of()));
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    assertThat(recover()).isInstanceOf(StepOutcome.Failed.class);
  }

  @Test
  void whatWasSickBeforeAnOlderGrantStaysExcused() throws Exception {
    simulatedHost.cordon(
        HOST, work("g0"), new CordonMark("g0", List.of(WEB.id()), List.of(ADS.id())));
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    assertThat(recover()).isInstanceOf(StepOutcome.Done.class);
  }

  @Test
  void theNextAttemptExcusesItToo() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    cordonAndDrain();
    recover();
    assertThat(simulatedHost.cordonNow()).isEmpty();
    assertThat(recover()).isInstanceOf(StepOutcome.Done.class);
  }

  @Test
  void oneLostAnswerAtTheCordonIsNoSickness() throws InterruptedException {
    simulatedHost.ill.put(ADS.id(), HUNG);
    simulatedHost.meanwhile = simulatedHost.ill::clear;
    cordonAndDrain();
    simulatedHost.meanwhile = () -> {};
    simulatedHost.ill.put(ADS.id(), NOT_READY);
    assertThat(recover()).isInstanceOf(StepOutcome.Failed.class);
  }
}
