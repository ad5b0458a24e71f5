package dev.drydock.orchestrator.store;

import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Check;
import org.jdbi.v3.core.Handle;

/**
 * What a batch does at once when what it waited for is there, inside the transaction that writes
 * that down and holds the lock of its grant. Nothing of it fails that transaction. Safe for use by
 * many threads.
 */
public interface Onward {
  /** Nothing: the workflow of the batch is woken each time. */
  Onward NOTHING =
      new Onward() {
        @Override
        public boolean stepDone(Handle handle, GrantRow grant, JobStep step) {
          return false;
        }

        @Override
        public boolean checkGranted(Handle handle, String grant, Check.Kind kind) {
          return false;
        }
      };

  /**
   * A job of the step is done.
   *
   * @param grant worked by the run of the job
   * @return whether there is nothing to be decided now
   */
  boolean stepDone(Handle handle, GrantRow grant, JobStep step);

  /**
   * The check was granted, and the stage of the grant says so.
   *
   * @return whether there is nothing to be decided now
   */
  boolean checkGranted(Handle handle, String grant, Check.Kind kind);
}
