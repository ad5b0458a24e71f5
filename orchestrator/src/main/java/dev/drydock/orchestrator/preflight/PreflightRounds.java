package dev.drydock.orchestrator.preflight;

import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks after the preflights of all rollouts, round by round: rows are the truth, so every server
 * may do it. Safe for use by many threads.
 */
public final class PreflightRounds {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final Supplier<LockTable> locks;
  private final PreflightSweep sweep;
  private final PreflightPublisher publisher;

  /**
   * Rounds.
   *
   * @param locks what is locked and who waits, as of now
   */
  public PreflightRounds(
      Jdbi jdbi,
      ServerConfig.Preflight terms,
      PreflightOutcomes outcomes,
      Supplier<LockTable> locks) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.locks = locks;
    this.sweep = new PreflightSweep(terms, outcomes);
    this.publisher = new PreflightPublisher(jdbi, terms);
  }

  /**
   * One round; does nothing in recovery mode. While the fleet is frozen nobody is asked.
   *
   * @return how many hosts were asked
   */
  public int round() {
    if (recovering()) {
      return 0;
    }
    LockTable table = locks.get();
    boolean frozen = table.brake().isPresent();
    transactor.call(handle -> sweep.withdraw(handle, frozen));
    transactor.call(sweep::late);
    transactor.call(sweep::stale);
    transactor.call(sweep::unclaimed);
    List<Ticket> tickets = table.tickets();
    transactor.call(handle -> sweep.keepPlaces(handle, tickets));
    return frozen ? 0 : publisher.publish(tickets.stream().map(Ticket::id).toList());
  }

  private boolean recovering() {
    return Sql.yes(jdbi, "SELECT EXISTS (SELECT FROM recoveries WHERE ended_at IS NULL)", Map.of());
  }
}
