package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.ProcUptimeClock;
import dev.drydock.adapter.spi.StepOutcome;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.HealthState;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The adapter on a real host behind the real balancer. Leaves the host as it found it. */
@Tag("lab")
@Timeout(120)
final class StaticAdapterLabTest {
  private static final String NEWEST = "1." + Long.MAX_VALUE;

  /** Also mends what a killed run of these tests left. */
  private static final String KEEP =
      """
      cd /data/drydock 2>/dev/null || exit 0
      [ ! -e token.kept ] || mv token.kept token
      ! grep -q '%s' token 2>/dev/null || rm token
      [ ! -e token ] || cp -p token token.kept
      """
          .formatted(NEWEST);

  private static final String RESTORE =
      "cd /data/drydock; rm -f token cordon lifted; [ ! -e token.kept ] || mv token.kept token";

  private final ProcUptimeClock clock = new ProcUptimeClock();
  private final String grant = "gtest" + System.nanoTime();
  private RunningLab runningLab;
  private FixedHost host;
  private HttpProber prober;
  private HaproxyRotation rotation;
  private Ssh ssh;

  @BeforeEach
  void findTheLab() throws Exception {
    runningLab = RunningLab.find();
    host = runningLab.allocation().hosts().getLast();
    prober = new HttpProber(runningLab::allocation);
    rotation = new HaproxyRotation(runningLab.allocation().rotation());
    ssh = new Ssh(runningLab.allocation().ssh());
    assertThat(ssh.run(host, Duration.ofSeconds(10), KEEP, new byte[0]).code()).isZero();
  }

  @AfterEach
  void leaveItAsItWas() throws Exception {
    adapter(false).recover(work(JobStep.Recover, 9));
    for (FixedInstance instance : runningLab.allocation().on(host.name())) {
      rotation.ready(instance, new Lease(() -> 0, 0, 1));
    }
    assertThat(ssh.run(host, Duration.ofSeconds(10), RESTORE, new byte[0]).code()).isZero();
    prober.close();
  }

  private StaticAdapter adapter(boolean skipRotation) {
    HostAccess hostAccess = new SshHosts(ssh, Hostrun.load(), PollDelay.real());
    return new StaticAdapter(
        runningLab::allocation,
        new StaticAdapter.Tools(
            hostAccess, rotation, prober, PollDelay.real(), InstantSource.system()),
        skipRotation);
  }

  /** A token newer than any real one; the host's own is put back at the end. */
  private ClaimedStep work(JobStep step, int round) {
    Job job =
        new Job()
            .setId(grant + "." + step + "." + host.name() + "." + round)
            .setGrant(grant)
            .setHost(host.name());
    String token = NEWEST + "." + round + ".1";
    ClaimedJob claimed =
        new ClaimedJob().setJob(job.setRound(round)).setAttempt(1).setToken(token).setClaim("c");
    return new ClaimedStep(
        claimed, new Lease(clock, clock.millis(), 60), clock, clock.millis() + 60_000, () -> 1);
  }

  private static void done(StepOutcome stepOutcome) {
    assertThat(stepOutcome).as(stepOutcome.message()).isInstanceOf(StepOutcome.Done.class);
  }

  private FixedInstance web() {
    return runningLab.allocation().on(host.name()).stream()
        .filter(i -> i.application().equals("web"))
        .findFirst()
        .orElseThrow();
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited for a minute").isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** Whether the instance itself counts an open request. */
  private boolean hasOpenRequest() {
    try {
      return prober.probe(List.of(web())).get(web()) instanceof Prober.Health.Ready ready
          && ready.open() > 0;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aRequestOfFiveSecondsOutlivesTheDrain() throws Exception {
    StaticAdapter adapter = adapter(false);
    done(adapter.cordon(work(JobStep.Cordon, 1)));
    URI direct = URI.create("http://" + host.address() + ":" + web().port());
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Boolean> slow = () -> Traffic.ask(direct, 5000);
      Future<Boolean> answered = clients.submit(slow);
      await(this::hasOpenRequest);
      long began = System.nanoTime();
      done(adapter.drain(work(JobStep.Drain, 2)));
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(4));
      assertThat(answered.get()).isTrue();
    }
    assertThat(prober.probe(List.of(web())).get(web())).isInstanceOf(Prober.Health.Absent.class);
  }

  @Test
  void drainAndRecoverLoseNoRequest() throws Exception {
    StaticAdapter adapter = adapter(false);
    StepOutcome recovered;
    try (Traffic traffic = new Traffic(runningLab.frontEnd(), 1)) {
      done(adapter.cordon(work(JobStep.Cordon, 1)));
      done(adapter.drain(work(JobStep.Drain, 2)));
      assertThat(adapter.observe().instances())
          .filteredOn(i -> i.getHost().equals(host.name()))
          .extracting(InstanceReport::getHealth)
          .containsOnly(HealthState.Unhealthy);
      recovered = adapter.recover(work(JobStep.Recover, 3));
      int before = traffic.answered.get();
      await(() -> traffic.answered.get() >= before + 200);
      assertThat(traffic.failed.get()).isZero();
    }
    done(recovered);
    assertThat(((StepOutcome.Done) recovered).reading().orElseThrow().instances())
        .hasSameSizeAs(runningLab.allocation().on(host.name()))
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Healthy);
  }

  @Test
  void withoutTakingOutOfRotationTheSameRequestsFail() throws Exception {
    try (Traffic traffic = new Traffic(runningLab.frontEnd(), 1)) {
      done(adapter(false).cordon(work(JobStep.Cordon, 1)));
      done(adapter(true).drain(work(JobStep.Drain, 2)));
      await(() -> traffic.failed.get() > 0);
    }
  }

  @Test
  void aHostThatSawANewerTokenIsNotTouched() throws Exception {
    StaticAdapter adapter = adapter(false);
    done(adapter.cordon(work(JobStep.Cordon, 2)));
    StepOutcome late = adapter.drain(work(JobStep.Drain, 1));
    assertThat(late).isInstanceOf(StepOutcome.Unknown.class);
    assertThat(late.message()).contains("older");
    assertThat(rotation.read().serves(web())).isTrue();
  }
}
