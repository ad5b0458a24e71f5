package dev.drydock.orchestrator.core.testkit;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Grant.TurnedBack;
import dev.drydock.orchestrator.core.model.GrantStage;
import java.util.Optional;

/** Changes what is known of a grant. */
public final class GrantBuilder {
  private final String id;
  private final String rollout;
  private int run;
  private boolean alive;
  private GrantStage stage;
  private boolean aborted;
  private Optional<String> reclaim;
  private boolean blind;
  private Optional<Boolean> hooked;
  private OnHostFailure onHostFailure;
  private Optional<TurnedBack> turnedBack;

  GrantBuilder(Grant grant) {
    id = grant.id();
    rollout = grant.rollout();
    run = grant.run();
    alive = grant.alive();
    stage = grant.stage();
    aborted = grant.aborted();
    reclaim = grant.reclaim();
    blind = grant.blind();
    hooked = grant.hooked();
    onHostFailure = grant.onHostFailure();
    turnedBack = grant.turnedBack();
  }

  Grant build() {
    return new Grant(
        id, rollout, run, alive, stage, aborted, reclaim, blind, hooked, onHostFailure, turnedBack);
  }

  public GrantBuilder run(int number) {
    run = number;
    return this;
  }

  public GrantBuilder ended() {
    alive = false;
    return this;
  }

  public GrantBuilder stage(GrantStage reached) {
    stage = reached;
    return this;
  }

  public GrantBuilder aborted() {
    aborted = true;
    return this;
  }

  /** Its run was lost: its hosts are only read and brought back. */
  public GrantBuilder reclaim(String why) {
    reclaim = Optional.of(why);
    return this;
  }

  /** Its rows are older than what was done to its hosts. */
  public GrantBuilder blind() {
    blind = true;
    return this;
  }

  public GrantBuilder hooked(boolean any) {
    hooked = Optional.of(any);
    return this;
  }

  public GrantBuilder onHostFailure(OnHostFailure policy) {
    onHostFailure = policy;
    return this;
  }

  public GrantBuilder back(TurnedBack how) {
    turnedBack = Optional.of(how);
    return this;
  }
}
