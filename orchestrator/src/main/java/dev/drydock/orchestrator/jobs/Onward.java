package dev.drydock.orchestrator.jobs;

import dev.drydock.orchestrator.store.GrantRow;
import org.jdbi.v3.core.Handle;

/**
 * What a batch does at once when a step of it is done everywhere, so that nobody has to be woken
 * for it. Safe for use by many threads.
 */
public interface Onward {
  /** Nothing: the workflow of the batch is woken for each job. */
  Onward NOTHING = (handle, grant, done) -> false;

  /**
   * Inside the transaction that keeps the result, which holds the lock of the grant.
   *
   * @param done as it was before it was done, of the run that works the grant
   * @return whether there is nothing to be decided now
   */
  boolean after(Handle handle, GrantRow grant, JobRow done);
}
