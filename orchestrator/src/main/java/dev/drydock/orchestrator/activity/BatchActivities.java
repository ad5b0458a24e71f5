package dev.drydock.orchestrator.activity;

import io.temporal.activity.ActivityInterface;

/**
 * The steps of a batch. All may be repeated; all but the first and the last refuse a run that was
 * followed by another.
 */
@ActivityInterface(namePrefix = "batch-")
public interface BatchActivities {

  /**
   * Takes the next run number of the grant for this execution.
   *
   * @param runKey Temporal's id of the execution; the same key gets the same number
   */
  BatchRun begin(String grant, String runKey);

  /**
   * Publishes the jobs or asks for the check of the phase, as far as that is missing, and tells how
   * far it came. Publishing is also what registers the undo: whatever was given to a consumer is
   * what {@link Phase#UNDO} takes back. Nothing is left to do once this run recorded the end of the
   * batch: the answer to that may have been lost.
   */
  Progress pursue(BatchRun run, Phase phase);

  /**
   * The same from a phase on, as far as phases are done; the last one that was pursued is told. The
   * stages of hooks are passed by where there are none.
   */
  Reached advance(BatchRun run, Phase first);

  /** The batch goes back from here on, whatever run works it. */
  void turnBack(BatchRun run, Progress because);

  /**
   * Quarantines the hosts that the phase broke: their holds stay until people end them.
   *
   * @return how many hosts of the batch are left to be worked on
   */
  int quarantine(BatchRun run, Phase phase);

  /** Writes what became of the hosts left and of the grant; from here on nothing starts. */
  void recordEnd(BatchRun run);

  /** Ends what the grant still holds, quarantines excepted. */
  void endHold(String grant);
}
