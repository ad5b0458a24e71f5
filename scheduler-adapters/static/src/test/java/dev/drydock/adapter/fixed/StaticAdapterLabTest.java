package dev.drydock.adapter.fixed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.spi.BootClock;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Work;
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

  private final BootClock clock = new BootClock();
  private final String grant = "gtest" + System.nanoTime();
  private Lab lab;
  private FixedHost host;
  private HttpProber prober;
  private HaproxyRotation rotation;
  private Ssh ssh;

  @BeforeEach
  void findTheLab() throws Exception {
    lab = Lab.find();
    host = lab.allocation().hosts().getLast();
    prober = new HttpProber(lab::allocation);
    rotation = new HaproxyRotation(lab.allocation().rotation());
    ssh = new Ssh(lab.allocation().ssh());
    assertThat(ssh.run(host, Duration.ofSeconds(10), KEEP, new byte[0]).code()).isZero();
  }

  @AfterEach
  void leaveItAsItWas() throws Exception {
    adapter(false).recover(work(JobStep.Recover, 9));
    for (FixedInstance instance : lab.allocation().on(host.name())) {
      rotation.ready(instance, new Lease(() -> 0, 0, 1));
    }
    assertThat(ssh.run(host, Duration.ofSeconds(10), RESTORE, new byte[0]).code()).isZero();
    prober.close();
  }

  private StaticAdapter adapter(boolean skipRotation) {
    Hosts hosts = new SshHosts(ssh, Hostrun.load(), Pace.real());
    return new StaticAdapter(
        lab::allocation,
        new StaticAdapter.Tools(hosts, rotation, prober, Pace.real(), InstantSource.system()),
        skipRotation);
  }

  /** A token newer than any real one; the host's own is put back at the end. */
  private Work work(JobStep step, int round) {
    Job job =
        new Job()
            .setId(grant + "." + step + "." + host.name() + "." + round)
            .setGrant(grant)
            .setHost(host.name());
    String token = NEWEST + "." + round + ".1";
    ClaimedJob claimed =
        new ClaimedJob().setJob(job.setRound(round)).setAttempt(1).setToken(token).setClaim("c");
    return new Work(
        claimed, new Lease(clock, clock.millis(), 60), clock, clock.millis() + 60_000, () -> 1);
  }

  private static void done(Outcome outcome) {
    assertThat(outcome).as(outcome.message()).isInstanceOf(Outcome.Done.class);
  }

  private FixedInstance web() {
    return lab.allocation().on(host.name()).stream()
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
    done(adapter.freeze(work(JobStep.Freeze, 1)));
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
    Outcome recovered;
    try (Traffic traffic = new Traffic(lab.frontEnd(), 1)) {
      done(adapter.freeze(work(JobStep.Freeze, 1)));
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
    assertThat(((Outcome.Done) recovered).reading().orElseThrow().instances())
        .hasSameSizeAs(lab.allocation().on(host.name()))
        .extracting(InstanceReport::getHealth)
        .containsOnly(HealthState.Healthy);
  }

  @Test
  void withoutTakingOutOfRotationTheSameRequestsFail() throws Exception {
    try (Traffic traffic = new Traffic(lab.frontEnd(), 1)) {
      done(adapter(false).freeze(work(JobStep.Freeze, 1)));
      done(adapter(true).drain(work(JobStep.Drain, 2)));
      await(() -> traffic.failed.get() > 0);
    }
  }

  @Test
  void aHostThatSawANewerTokenIsNotTouched() throws Exception {
    StaticAdapter adapter = adapter(false);
    done(adapter.freeze(work(JobStep.Freeze, 2)));
    Outcome late = adapter.drain(work(JobStep.Drain, 1));
    assertThat(late).isInstanceOf(Outcome.Unknown.class);
    assertThat(late.message()).contains("older");
    assertThat(rotation.read().serves(web())).isTrue();
  }
}
