package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Which failures are repeated, without any database. */
class TransactorTest {
  private final AtomicInteger tries = new AtomicInteger();

  /** As a pool says that it has none: its exception has no state. */
  @Test
  void whatFailsForWantOfAConnectionSaysSoAndIsNotRepeated() {
    Transactor transactor = failing(new SQLException("no connection is free"));
    assertThatThrownBy(() -> transactor.call(handle -> true))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("no connection is free");
    assertThat(tries).hasValue(1);
  }

  /** The control: a victim of a dead-lock. */
  @Test
  void aVictimOfADeadLockIsRepeated() {
    Transactor transactor = failing(new SQLException("dead-lock", "40P01"));
    assertThatThrownBy(() -> transactor.call(handle -> true)).hasMessageContaining("dead-lock");
    assertThat(tries).hasValue(5);
  }

  private Transactor failing(SQLException failure) {
    return new Transactor(
        Jdbi.create(
            () -> {
              tries.incrementAndGet();
              throw failure;
            }));
  }
}
