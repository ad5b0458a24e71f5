package dev.drydock.adapter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostPhase;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Hosts that are worked on stay out of rotation, whoever put them back; all others are left alone.
 */
final class GuardLoopTest {
  private final FakeBoard board = new FakeBoard();
  private final FakeAdapter adapter =
      new FakeAdapter(work -> new StepOutcome.Failed("not asked for"));
  private final BusyHosts busy = new BusyHosts(32);
  private final AtomicLong clock = new AtomicLong();
  private final GuardLoop guard = new GuardLoop(adapter, board, clock::get, busy);

  private void inRotation(String host, HostPhase phase) {
    board.phases.put(host, phase);
    adapter.inRotation.add(host);
  }

  @Test
  void aHostThatIsWorkedOnAndWasPutBackIsTakenOutAgain() throws IOException, InterruptedException {
    double before = JobMetrics.REASSERTED.get();
    inRotation("h01", HostPhase.Upgrade);
    guard.look();
    assertThat(adapter.inRotation).isEmpty();
    adapter.inRotation.add("h01");
    guard.look();
    assertThat(adapter.inRotation).as("as often as somebody puts it back").isEmpty();
    assertThat(JobMetrics.REASSERTED.get()).isEqualTo(before + 2);
  }

  /** Also the control of the test above: where nothing is under way the same host stays. */
  @Test
  void aHostThatIsDrainedRecoveredOrInNobodysHandsIsLeftAlone()
      throws IOException, InterruptedException {
    inRotation("h01", HostPhase.Drain);
    inRotation("h02", HostPhase.Recover);
    adapter.inRotation.add("h03");
    inRotation("h04", HostPhase.Upgrade);
    guard.look();
    assertThat(adapter.inRotation).containsExactlyInAnyOrder("h01", "h02", "h03");
  }

  @Test
  void aHostThatAJobOfThisProcessWorksOnIsLeftToIt() throws IOException, InterruptedException {
    inRotation("h01", HostPhase.Upgrade);
    assertThat(busy.occupy("h01", Lane.BACK.steps())).isTrue();
    guard.look();
    assertThat(adapter.inRotation).contains("h01");
    busy.leave("h01");
    guard.look();
    assertThat(adapter.inRotation).isEmpty();
    assertThat(busy.occupy("h01", Lane.BACK.steps())).as("and is free again").isTrue();
  }

  @Test
  void whatTheServerSaidBeforeIsAskedAgainRightBefore() throws IOException, InterruptedException {
    inRotation("h01", HostPhase.Upgrade);
    board.onPhase = () -> board.phases.put("h01", HostPhase.Recover);
    guard.look();
    assertThat(adapter.inRotation).containsExactly("h01");
  }

  /** Another adapter's recovery cannot be kept from ending in between. */
  @Test
  void aHostThatCameBackBetweenTheQuestionAndTheEffectGoesBack()
      throws IOException, InterruptedException {
    inRotation("h01", HostPhase.Upgrade);
    adapter.onTakeOut = board.phases::clear;
    guard.look();
    assertThat(adapter.inRotation).containsExactly("h01");
  }

  @Test
  void whoSleptBetweenTheQuestionAndTheEffectDoesNothing()
      throws IOException, InterruptedException {
    inRotation("h01", HostPhase.Upgrade);
    board.onPhase = () -> clock.addAndGet(6_000);
    guard.look();
    assertThat(adapter.inRotation).containsExactly("h01");
    board.onPhase = () -> {};
    guard.look();
    assertThat(adapter.inRotation).as("the control: one that is awake does").isEmpty();
  }

  @Test
  void oneOddHostKeepsNoOtherFromBeingTakenOut() throws IOException, InterruptedException {
    for (String host : List.of("h01", "h02", "h03")) {
      inRotation(host, HostPhase.Upgrade);
    }
    adapter.odd = "h02";
    guard.look();
    assertThat(adapter.inRotation).containsExactly("h02");
  }
}
