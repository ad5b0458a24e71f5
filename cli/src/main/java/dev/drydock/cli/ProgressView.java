package dev.drydock.cli;

/** Shows a rollout while it goes on. Called from one thread, in the order of time. */
interface ProgressView {
  /** Called with every picture taken, also when nothing changed. */
  void show(RolloutSnapshot now);

  /** Called once the rollout has ended, after the last {@link #show}. */
  void end(RolloutSnapshot last);
}
