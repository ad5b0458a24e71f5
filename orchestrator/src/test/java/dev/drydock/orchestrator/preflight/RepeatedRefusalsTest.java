package dev.drydock.orchestrator.preflight;

import static dev.drydock.orchestrator.testkit.PreflightBench.failed;
import static dev.drydock.orchestrator.testkit.PreflightBench.passed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobResult;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.PreflightBench;
import dev.drydock.platform.config.ServerConfig;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A rollout whose hosts fail their preflights alike pauses itself before it tries the rest. */
@Tag("stack")
class RepeatedRefusalsTest {
  private PreflightBench bench = new PreflightBench();

  @AfterEach
  void close() {
    bench.close();
  }

  private static JobResult people(String cause) {
    return failed(JobMend.People, cause, "not touched: " + cause);
  }

  private String[] asked(int hosts) {
    String[] names = IntStream.range(0, hosts).mapToObj(n -> "h" + n).toArray(String[]::new);
    bench.rollout("r1", names);
    bench.round();
    return names;
  }

  @Test
  void pausesWhenSeveralInARowFailAlike() {
    asked(10);
    bench.end(people("held"), "h0", "h1");
    assertThat(bench.rollout("r1")).isEqualTo("Running");
    bench.end(people("held"), "h2");
    assertThat(bench.rollout("r1"))
        .startsWith("Paused the last 3 hosts that were asked cannot be updated")
        .contains("(held)", "not touched: held", "drydock rollout resume r1");
    assertThat(bench.offered()).as("the rest is not tried").isEmpty();
    assertThat(bench.hosts(HostUpgradeState.Reverted)).isEqualTo(3);
    assertThat(bench.hosts(HostUpgradeState.Pending)).isEqualTo(7);
  }

  /** The control. */
  @Test
  void triesAllWithoutTheLimit() {
    bench.close();
    bench = new PreflightBench(new ServerConfig.Preflight(50, 200, Duration.ofMinutes(30), 0));
    bench.end(people("held"), asked(10));
    assertThat(bench.rollout("r1")).isEqualTo("Running");
    assertThat(bench.hosts(HostUpgradeState.Reverted)).isEqualTo(10);
  }

  @Test
  void hostsWithOtherCausesAreNotAlike() {
    asked(10);
    bench.end(people("held"), "h0", "h1");
    bench.end(people("space"), "h2");
    bench.end(people("held"), "h3");
    bench.end(passed(), "h4");
    bench.end(people("held"), "h5");
    assertThat(bench.rollout("r1")).isEqualTo("Running");
  }

  @Test
  void pausesWhenAShareFailsAlike() {
    asked(20);
    for (int host = 0; host < 12; host += 2) {
      assertThat(bench.rollout("r1")).isEqualTo("Running");
      bench.end(passed(), "h" + host);
      bench.end(people("held"), "h" + (host + 1));
    }
    assertThat(bench.rollout("r1")).startsWith("Paused 6 of the last 12 hosts");
  }

  @Test
  void whatTimeMendsPausesNothing() {
    String[] hosts = asked(5);
    bench.end(failed(JobMend.Time, "source-unreadable", "not touched: 404"), hosts);
    assertThat(bench.rollout("r1")).isEqualTo("Running");
    assertThat(bench.hosts(HostUpgradeState.Pending)).isEqualTo(5);
  }

  @Test
  void whoResumesHasLooked() {
    asked(10);
    bench.end(people("held"), "h0", "h1", "h2");
    new RolloutControl(bench.jdbi(), bench.fleet.onward)
        .command(HookBench.ANYBODY, "r1", RolloutCommand.RESUME, "only these three");
    bench.round();
    bench.end(people("held"), "h3");
    assertThat(bench.rollout("r1")).startsWith("Running");
  }

  /** They were not harmed: no limit of failures counts them. */
  @Test
  void aRefusedHostIsNoFailure() {
    asked(3);
    bench.end(people("held"), "h0");
    bench.end(passed(), "h1");
    assertThat(ended()).isZero();
    bench.fleet.asIf.failed("r1", "h1");
    assertThat(ended()).as("the control: one that was tried is one").isEqualTo(1);
  }

  private int ended() {
    return bench
        .jdbi()
        .withHandle(
            handle ->
                CohortHalts.ended(handle, "r1", "-infinity").stream()
                    .mapToInt(alike -> alike.outcome().failed())
                    .sum());
  }
}
