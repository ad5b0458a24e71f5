package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Key;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session lock that was broken on one of its hosts and not, or not yet, on the other. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class PartlyBrokenTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"h1", "h2"})
  void tellsWhetherItsClientIsThereWhicheverHostWasBroken(String host) {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("t1", Mode.WAIT, 4, "h1", "h2"));
    locks.desk().renew("t1");
    locks.holds().quarantine("t1", host, "broken by admin");
    assertThat(found(locks)).matches(held -> held.hosts().size() == 2 && !held.expired());

    etcdTestBed
        .direct()
        .revoke(etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow().getLease());

    Await.until("its client is told to stop", () -> found(locks).expired());
    assertThat(found(locks)).matches(held -> !held.lapsed() && held.until().isPresent());
    assertThat(locks.desk().all().stream().map(PartlyBrokenTest::held).toList())
        .singleElement()
        .matches(held -> held.expired() && !held.lapsed() && held.until().isPresent());
    Await.until(
        "it lapses where it was not broken",
        () -> locks.desk().find("t1").map(one -> held(one).lapsed() || gone(one)).orElse(true));
  }

  private static RequestStatus.Held found(EtcdLocks locks) {
    return held(locks.desk().find("t1").orElseThrow());
  }

  private static RequestStatus.Held held(RequestStatus requestStatus) {
    return (RequestStatus.Held) requestStatus;
  }

  /** All that is left is the quarantine. */
  private static boolean gone(RequestStatus requestStatus) {
    return requestStatus.hosts().size() == 1;
  }
}
