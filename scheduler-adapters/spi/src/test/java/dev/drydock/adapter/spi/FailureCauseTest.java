package dev.drydock.adapter.spi;

import static dev.drydock.adapter.spi.AdapterLoopTest.await;
import static dev.drydock.adapter.spi.AdapterLoopTest.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a result says of why a step did not end well. */
@Timeout(30)
final class FailureCauseTest {
  private final FakeBoard board = new FakeBoard();

  @Test
  void saysWhetherAnythingWasBegunAndWhoCanMendWhatFailed() {
    JobResult refused =
        ended(claimedStep -> new StepOutcome.Failed("no", FailureCause.people("not-listed")), 1);
    assertThat(refused.isBegun()).isFalse();
    assertThat(refused.getMend()).isEqualTo(JobMend.People);
    assertThat(refused.getCause()).isEqualTo("not-listed");

    JobResult away =
        ended(claimedStep -> new StepOutcome.Unknown("no answer", FailureCause.time("away")), 1);
    assertThat(away.isBegun()).isFalse();
    assertThat(away.getMend()).isEqualTo(JobMend.Time);

    JobResult cordoned = ended(claimedStep -> failedAfter(claimedStep, "cordon"), 1);
    assertThat(cordoned.isBegun()).as("a cordon has to be lifted").isTrue();
    assertThat(cordoned.hasMend()).isFalse();

    JobResult stopped = ended(claimedStep -> failedAfter(claimedStep, "stop"), 1);
    assertThat(stopped.isBegun()).isTrue();

    JobResult later = ended(claimedStep -> new StepOutcome.Failed("no"), 2);
    assertThat(later.hasBegun()).as("an attempt before it may have").isFalse();
    FailureCause known = FailureCause.UNTOLD.andUntouched(true);
    assertThat(ended(claimedStep -> new StepOutcome.Failed("no", known), 2).isBegun()).isFalse();
    assertThat(ended(claimedStep -> done(), 1).hasBegun()).isFalse();
  }

  private static StepOutcome failedAfter(ClaimedStep claimedStep, String effect) {
    claimedStep.begun(effect);
    return new StepOutcome.Failed("no");
  }

  private JobResult ended(FakeAdapter.Step step, int attempt) {
    board.results.clear();
    board.attempt = attempt;
    Job job = board.add("h01", JobStep.Drain);
    FakeAdapter adapter = new FakeAdapter(step);
    try (AdapterLoop loop =
        new AdapterLoop(adapter, board, new ProcUptimeClock(), "test").start()) {
      await(() -> board.result(job.getId()).hasOutcome());
    }
    return board.result(job.getId());
  }
}
