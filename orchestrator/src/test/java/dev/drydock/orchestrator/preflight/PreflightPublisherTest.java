package dev.drydock.orchestrator.preflight;

import static dev.drydock.orchestrator.testkit.PreflightBench.passed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.PreflightBench;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many hosts are asked, and which. */
@Tag("stack")
class PreflightPublisherTest {
  private static ServerConfig.Preflight terms(int open, int ahead) {
    return new ServerConfig.Preflight(open, ahead, Duration.ofMinutes(30), 3);
  }

  private static String[] hosts(int from, int to) {
    return IntStream.range(from, to).mapToObj("h%03d"::formatted).toArray(String[]::new);
  }

  @Test
  void asksNoMoreThanTheBoundAtOnceAndTheFirstOnesFirst() {
    try (PreflightBench bench = new PreflightBench(terms(4, 200))) {
      bench.rollout("r1", hosts(0, 20));
      assertThat(bench.round()).isEqualTo(4);
      assertThat(bench.round()).isZero();
      assertThat(bench.offeredHosts()).containsExactly("h000", "h001", "h002", "h003");
      bench.taken("h000");
      assertThat(bench.round()).as("who is being asked counts").isZero();
      bench.end(passed(), "h001");
      assertThat(bench.round()).isEqualTo(1);
      assertThat(bench.offeredHosts()).containsExactly("h002", "h003", "h004");
    }
  }

  @Test
  void boundsAreThoseOfATopic() {
    try (PreflightBench bench = new PreflightBench(terms(2, 200))) {
      bench.rollout("r1", hosts(0, 5));
      bench.rollout("r2", hosts(10, 15));
      bench.fleet.asIf.mode("r2", "Reimage");
      assertThat(bench.round()).isEqualTo(4);
      assertThat(bench.offeredHosts()).containsExactly("h000", "h001");
    }
  }

  @Test
  void asksNoMoreAheadWhileThoseThatPassedWait() {
    try (PreflightBench bench = new PreflightBench(terms(50, 6))) {
      bench.rollout("r1", hosts(0, 30));
      bench.round();
      bench.end(passed(), hosts(0, 6));
      assertThat(bench.round()).isZero();
      bench.fleet.grant("r1", "h000");
      assertThat(bench.round()).as("one was granted").isEqualTo(1);
    }
  }

  /** Whoever is behind many that pass and cannot go is asked some day as well. */
  @Test
  void comesToEverybodyInTurns() {
    try (PreflightBench bench = new PreflightBench(terms(50, 6))) {
      bench.rollout("r1", hosts(0, 30));
      Set<String> asked = new HashSet<>();
      for (int round = 0; round < 12; round++) {
        bench.round();
        List<String> now = bench.offeredHosts();
        asked.addAll(now);
        bench.end(passed(), now.toArray(String[]::new));
        bench.later(Duration.ofMinutes(6));
      }
      assertThat(asked).hasSize(30);
    }
  }

  @Test
  void asksAboutABatchAsAWhole() {
    try (PreflightBench bench = new PreflightBench(terms(2, 200))) {
      bench.rollout("r1", hosts(0, 6));
      bench.fleet.asIf.together(0, hosts(0, 4));
      assertThat(bench.round()).isEqualTo(4);
      bench.end(passed(), "h000", "h001", "h002");
      assertThat(bench.candidates()).as("all of it or none").isEmpty();
      bench.end(passed(), "h003");
      assertThat(bench.candidates()).hasSize(4);
    }
  }

  /** Hosts that still serve wait behind those that do not. */
  @Test
  void consumersAreOfferedTheJobsOfBatchesFirst() {
    try (PreflightBench bench = new PreflightBench()) {
      bench.rollout("r1", "down", "serves");
      bench.round();
      bench.end(passed(), "down");
      String grant = bench.fleet.grant("r1", "down");
      String update = new BatchRows(bench.jdbi(), bench.fleet).reach(grant, JobStep.Update);
      assertThat(
              bench
                  .board
                  .claimable(
                      List.of(PreflightBench.TOPIC),
                      List.of(JobStep.values()),
                      new PageRequest(0, 10),
                      FieldMask.all())
                  .elements())
          .extracting(Job::getId)
          .containsExactly(update, "pre.Preflight.r1.serves.1");
    }
  }
}
