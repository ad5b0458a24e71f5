package dev.drydock.orchestrator.preflight;

import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.jobs.UngrantedJobs;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.rounds.DutyLoop;
import java.time.Duration;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/** Preflights of one process: those on its board, and the rounds that publish them. */
public final class PreflightWork implements AutoCloseable {
  private static final Duration ROUND = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final ServerConfig.Preflight terms;
  private final PreflightOutcomes outcomes;
  private final Preflights jobs;
  // Of its own: hosts wait for it before their grants.
  private final DutyLoop dutyLoop = new DutyLoop("orchestrator-preflight");

  public PreflightWork(
      Jdbi jdbi, ServerConfig.Preflight terms, BoardTimes times, HealthChecks checks) {
    this.jdbi = jdbi;
    this.terms = terms;
    this.outcomes = new PreflightOutcomes(terms);
    this.jobs = new Preflights(times, checks, outcomes);
  }

  /** For the board, also while preflights are off: some may be open since they were on. */
  public UngrantedJobs jobs() {
    return jobs;
  }

  /**
   * Begins to ask hosts, unless preflights are off.
   *
   * @param locks what is locked and who waits, as of now
   */
  public void start(Supplier<LockTable> locks) {
    if (terms.on()) {
      PreflightRounds asking = new PreflightRounds(jdbi, terms, outcomes, locks);
      dutyLoop.nowAndEvery(ROUND, "ask hosts before their grants", asking::round);
    }
  }

  @Override
  public void close() {
    dutyLoop.close();
  }
}
