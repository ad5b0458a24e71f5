package dev.drydock.orchestrator.store;

import java.sql.SQLException;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs units of work in transactions and repeats one that PostgreSQL chose as the victim of a
 * dead-lock: nothing of it was kept, so repeating is safe. Safe for use by many threads.
 */
public final class Transactor {
  private static final int ATTEMPTS_MAX = 5;
  private static final Set<String> REPEATABLE = Set.of("40001", "40P01");

  private final Jdbi jdbi;

  public Transactor(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Work inside one transaction. */
  public interface Work<R extends Object> {
    R in(Handle handle);
  }

  /** Commits the work or throws what it threw. */
  public <R extends Object> R call(Work<R> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return jdbi.inTransaction(work::in);
      } catch (RuntimeException failed) {
        if (attempt == ATTEMPTS_MAX || !repeatable(failed)) {
          throw failed;
        }
      }
    }
  }

  /** Whether the transaction may be repeated as a whole, and has to be. */
  public static boolean repeatable(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      // Without a connection there is no state.
      if (cause instanceof SQLException sql
          && sql.getSQLState() instanceof String state
          && REPEATABLE.contains(state)) {
        return true;
      }
    }
    return false;
  }
}
