package dev.drydock.adapter.fixed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Allocation.RotationAddress;
import dev.drydock.adapter.fixed.Allocation.SshAccess;
import dev.drydock.adapter.fixed.Prober.Health;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Work;
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

  private final World world = new World(List.of(WEB, ADS));
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
              world, world, world, world, () -> Instant.ofEpochMilli(world.millis())),
          false);
  private long marks = 100;

  private Work work(String grant) {
    Job job = new Job().setId(grant + ".Step.h01.1").setGrant(grant).setHost("h01").setRound(1);
    ClaimedJob claimed =
        new ClaimedJob().setJob(job).setAttempt(1).setToken("1.7.1.1").setClaim("c");
    Lease lease = new Lease(world, world.millis(), 600);
    return new Work(claimed, lease, world, world.millis() + 600_000L, () -> ++marks);
  }

  private void freezeAndDrain() throws InterruptedException {
    assertThat(adapter.freeze(work("g1"))).isInstanceOf(Outcome.Done.class);
    Outcome drained = adapter.drain(work("g1"));
    assertThat(drained).as(drained.message()).isInstanceOf(Outcome.Done.class);
  }

  private Outcome recover() throws InterruptedException {
    world.boot();
    world.log.clear();
    return adapter.recover(work("g1"));
  }

  @Test
  void recoverDoesNotWaitForIt() throws InterruptedException {
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    long began = world.millis();
    Outcome outcome = recover();
    assertThat(outcome).as(outcome.message()).isInstanceOf(Outcome.Done.class);
    assertThat(outcome.message())
        .contains("ads@h01 was not healthy before the freeze either")
        .doesNotContain("web@h01 was not");
    assertThat(world.millis() - began).isLessThan(1000);
    assertThat(world.runs(ADS)).isTrue();
    assertThat(world.serves(WEB) && world.serves(ADS)).isTrue();
    assertThat(world.cordonNow()).isEmpty();
  }

  @Test
  void itStaysOutOfRotationWhenItWasOut() throws Exception {
    world.ill.put(ADS.id(), NOT_READY);
    world.takeOut(ADS);
    freezeAndDrain();
    assertThat(recover()).isInstanceOf(Outcome.Done.class);
    assertThat(world.serves(WEB)).isTrue();
    assertThat(world.serves(ADS)).isFalse();
  }

  @Test
  void itIsNotNamedWhenItIsHealthyNow() throws InterruptedException {
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    world.ill.clear();
    assertThat(recover().message()).isEqualTo("web@h01, ads@h01 serve again on h01");
  }

  @Test
  void aServiceThatDoesNotStartIsNoFailureWhenItDidNotRunWellBefore() throws InterruptedException {
    world.broken.add("ads");
    world.down(ADS);
    freezeAndDrain();
    Outcome outcome = recover();
    assertThat(outcome).as(outcome.message()).isInstanceOf(Outcome.Done.class);
    assertThat(outcome.message()).contains("ads@h01 was not healthy before the freeze either");
    assertThat(world.serves(WEB)).isTrue();
  }

  @Test
  void aServiceThatWasDownIsStarted() throws InterruptedException {
    world.down(ADS);
    freezeAndDrain();
    world.log.clear();
    assertThat(adapter.recover(work("g1"))).isInstanceOf(Outcome.Done.class);
    assertThat(world.runs(ADS)).isTrue();
  }

  @Test
  void whatWasHealthyThenMustBeHealthyAgain() throws InterruptedException {
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    world.ill.put(WEB.id(), NOT_READY);
    Outcome outcome = recover();
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message()).contains("web@h01 does not become healthy: no index");
    assertThat(world.serves(WEB) || world.serves(ADS)).isFalse();
  }

  @Test
  void withoutACordonOfThisGrantAllMustBeHealthy() throws Exception {
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    world.loseCordon();
    Outcome outcome = recover();
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message()).contains("ads@h01 does not become healthy: no index");
    world.cordon(HOST, work("g0"), new Cordon("g0", List.of(WEB.id()), List.of(ADS.id())));
    assertThat(recover()).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void aHungOneIsDrainedByTheCountOfTheBalancer() throws InterruptedException {
    world.ill.put(ADS.id(), HUNG);
    world.request(ADS, 8000);
    freezeAndDrain();
    assertThat(world.failedRequests).isZero();
    assertThat(world.answeredRequests).isPositive();
    assertThat(world.runs(WEB) || world.runs(ADS)).isFalse();
    assertThat(recover()).isInstanceOf(Outcome.Done.class);
  }

  @Test
  void itsOwnCountIsNotBelieved() throws InterruptedException {
    world.ill.put(ADS.id(), new Health.NotReady(4, "no index"));
    freezeAndDrain();
    assertThat(world.runs(WEB) || world.runs(ADS)).isFalse();
  }

  @Test
  void oneThatHangsOnlySinceTheFreezeStopsTheDrain() throws InterruptedException {
    adapter.freeze(work("g1"));
    world.ill.put(ADS.id(), HUNG);
    Outcome outcome = adapter.drain(work("g1"));
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    assertThat(outcome.message()).contains("ads@h01 does not tell how many requests are open");
  }

  @Test
  void whatAnOlderGrantBrokeIsNotExcused() throws Exception {
    world.cordon(HOST, work("g0"), new Cordon("g0", List.of(WEB.id(), ADS.id()), List.of()));
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    assertThat(recover()).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void whatWasSickBeforeAnOlderGrantStaysExcused() throws Exception {
    world.cordon(HOST, work("g0"), new Cordon("g0", List.of(WEB.id()), List.of(ADS.id())));
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    assertThat(recover()).isInstanceOf(Outcome.Done.class);
  }

  @Test
  void theNextAttemptExcusesItToo() throws InterruptedException {
    world.ill.put(ADS.id(), NOT_READY);
    freezeAndDrain();
    recover();
    assertThat(world.cordonNow()).isEmpty();
    assertThat(recover()).isInstanceOf(Outcome.Done.class);
  }

  @Test
  void oneLostAnswerAtTheFreezeIsNoSickness() throws InterruptedException {
    world.ill.put(ADS.id(), HUNG);
    world.meanwhile = world.ill::clear;
    freezeAndDrain();
    world.meanwhile = () -> {};
    world.ill.put(ADS.id(), NOT_READY);
    assertThat(recover()).isInstanceOf(Outcome.Failed.class);
  }
}
