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
final class CauseTest {
  private final FakeBoard board = new FakeBoard();

  @Test
  void saysWhetherAnythingWasBegunAndWhoCanMendWhatFailed() {
    JobResult refused = ended(work -> new Outcome.Failed("no", Cause.people("not-listed")), 1);
    assertThat(refused.isBegun()).isFalse();
    assertThat(refused.getMend()).isEqualTo(JobMend.People);
    assertThat(refused.getCause()).isEqualTo("not-listed");

    JobResult away = ended(work -> new Outcome.Unknown("no answer", Cause.time("away")), 1);
    assertThat(away.isBegun()).isFalse();
    assertThat(away.getMend()).isEqualTo(JobMend.Time);

    JobResult frozen = ended(work -> failedAfter(work, "cordon"), 1);
    assertThat(frozen.isBegun()).as("a cordon has to be lifted").isTrue();
    assertThat(frozen.hasMend()).isFalse();

    JobResult stopped = ended(work -> failedAfter(work, "stop"), 1);
    assertThat(stopped.isBegun()).isTrue();

    JobResult later = ended(work -> new Outcome.Failed("no"), 2);
    assertThat(later.hasBegun()).as("an attempt before it may have").isFalse();
    Cause known = Cause.UNTOLD.andUntouched(true);
    assertThat(ended(work -> new Outcome.Failed("no", known), 2).isBegun()).isFalse();
    assertThat(ended(work -> done(), 1).hasBegun()).isFalse();
  }

  private static Outcome failedAfter(Work work, String effect) {
    work.begun(effect);
    return new Outcome.Failed("no");
  }

  private JobResult ended(FakeAdapter.Step step, int attempt) {
    board.results.clear();
    board.attempt = attempt;
    Job job = board.add("h01", JobStep.Drain);
    FakeAdapter adapter = new FakeAdapter(step);
    try (AdapterLoop loop = new AdapterLoop(adapter, board, new BootClock(), "test").start()) {
      await(() -> board.result(job.getId()).hasOutcome());
    }
    return board.result(job.getId());
  }
}
