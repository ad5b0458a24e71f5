package dev.drydock.orchestrator.jobs;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import org.jdbi.v3.core.Handle;

/** What the policies in force want hosts to pass after their update, beside all else. */
@FunctionalInterface
public interface HealthChecks {
  /** None of them wants anything. */
  HealthChecks NONE = (handle, applications) -> Collections.emptySortedSet();

  /**
   * The names of the checks that any policy of these applications, which run on one host, wants.
   *
   * @param handle whose transaction it is asked in
   */
  SortedSet<String> of(Handle handle, Set<String> applications);

  /**
   * The same for the applications that the spec of a job names.
   *
   * @param table where the row of the job is
   */
  default List<String> ofJob(Handle handle, String table, String job) {
    Set<String> applications =
        handle
            .createQuery(
                """
                SELECT DISTINCT i->>'application' FROM <table>, jsonb_array_elements(spec->'instances') i
                WHERE id = :id
                """)
            .define("table", table)
            .bind("id", job)
            .mapTo(String.class)
            .set();
    return List.copyOf(of(handle, applications));
  }
}
