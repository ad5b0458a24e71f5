package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobStep;
import dev.drydock.platform.identity.Principal;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/**
 * Jobs of one step that are no part of a grant and have a table of their own. The board asks them
 * inside its transaction; consumers see one board. Safe for use by many threads.
 */
public interface UngrantedJobs {
  /** What they do. */
  JobStep step();

  /** Whether the job with this id is one of them; see Job.pdl. */
  boolean owns(String job);

  /** See {@link JobBoard#claim}; whether anything may be claimed at all was asked already. */
  ClaimResult claim(Handle handle, String job, String consumer, Principal principal);

  /** See {@link JobBoard#heartbeat(String, String)}. */
  OptionalLong heartbeat(Handle handle, String job, String claim);

  /** See {@link JobBoard#complete}. */
  CompletionResult complete(
      Handle handle, String job, String claim, JobReport jobReport, Principal principal);
}
