package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of a batch whose run was lost while one of its hosts was updated and the other was not. */
@Tag("stack")
class ReclaimedBatchTest {
  private final HookBench bench = new HookBench();
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @AfterEach
  void stop() {
    bench.close();
  }

  /** A batch whose first host is updated, and whose second nobody took. */
  private BatchRun updating() {
    BatchRun run = bench.begin("a1", "a2");
    bench.reach(run, JobStep.Update);
    bench.end(run.grant() + ".Update.a1.3", JobOutcome.Done);
    return run;
  }

  private boolean lost(BatchRun run) {
    return new GrantStore(bench.jdbi()).reclaim(run.grant(), run.run(), "lost");
  }

  @Test
  void hostsThatWereUpdatedComeBackAndTheOthersGoBack() {
    BatchRun run = updating();
    assertThat(lost(run)).isTrue();
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    assertThat(later.run()).isEqualTo(run.run() + 1);
    for (String step : new String[] {"Verify", "Health", "Recover"}) {
      assertThat(bench.drive(later).ended()).isFalse();
      assertThat(bench.offered(later)).containsExactly(step + " a1");
      bench.end(bench.only(later), JobOutcome.Done);
    }
    assertThat(bench.drive(later).ended()).isFalse();
    assertThat(rows.hosts()).as("it does not wait").isEqualTo("a1 Upgraded, a2 InProgress");
    assertThat(bench.offered(later)).containsExactly("Recover a2");
    bench.finish(later);
    assertThat(rows.hosts()).isEqualTo("a1 Upgraded, a2 Pending");
    assertThat(rows.end(run.grant())).isEqualTo("Requeued");
    assertThat(bench.done(later)).filteredOn(done -> done.startsWith("Update ")).hasSize(1);
  }

  @Test
  void anotherRunOrAnEndKeepsABatchFromBeingReclaimed() {
    BatchRun run = updating();
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    assertThat(lost(run)).as("looked too long ago").isFalse();
    bench.finish(later);
    assertThat(lost(later)).as("ended meanwhile").isFalse();
  }
}
