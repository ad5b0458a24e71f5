package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.OnHostFailure;
import java.util.Optional;

/**
 * The grant of a batch.
 *
 * @param run number of the workflow run that may publish, claim and end
 * @param alive whether its hold stands and its batch may work
 * @param aborted whether people take its hosts away: consumers are given nothing that leads forward
 * @param reclaim why its hosts are only read and brought back, once a run of it was lost
 * @param blind whether its rows are older than what was done to its hosts
 * @param hooked whether teams run hooks around its work; empty until that was asked
 * @param onHostFailure what it does when one of its hosts fails, as policies said when it began
 * @param turnedBack where it goes back to, once it goes back
 */
public record Grant(
    String id,
    String rollout,
    int run,
    boolean alive,
    GrantStage stage,
    boolean aborted,
    Optional<String> reclaim,
    boolean blind,
    Optional<Boolean> hooked,
    OnHostFailure onHostFailure,
    Optional<TurnedBack> turnedBack) {

  /**
   * A batch on its way back.
   *
   * @param end the state its hosts end in
   */
  public record TurnedBack(RollbackTarget end, String reason) {}

  /** Whether hooks are run around its work. */
  public boolean runsHooks() {
    return hooked.orElse(false);
  }

  /** Whether rows were lost that would say whether hooks ran. */
  public boolean hooksForgotten() {
    return blind && hooked.isEmpty();
  }

  /** The same, once it is known whether hooks are run. */
  public Grant hooked(boolean has) {
    return new Grant(
        id,
        rollout,
        run,
        alive,
        stage,
        aborted,
        reclaim,
        blind,
        Optional.of(has),
        onHostFailure,
        turnedBack);
  }

  /** The same on its way back. */
  public Grant turnedBack(TurnedBack back) {
    return new Grant(
        id,
        rollout,
        run,
        alive,
        stage,
        aborted,
        reclaim,
        blind,
        hooked,
        onHostFailure,
        Optional.of(back));
  }

  /** The same, once its end is written. */
  public Grant ended() {
    return new Grant(
        id, rollout, run, false, stage, aborted, reclaim, blind, hooked, onHostFailure, turnedBack);
  }
}
