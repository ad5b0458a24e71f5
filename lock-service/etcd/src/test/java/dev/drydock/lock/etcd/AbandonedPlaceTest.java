package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Places in the queue that rollouts left, while somebody else has the hosts. */
@Tag("stack")
class AbandonedPlaceTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final EtcdLocks locks = etcdTestBed.grantor();

  @BeforeEach
  void twoBatchesWait() {
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1", "h2"), Duration.ofMinutes(5));
    Await.until("its hosts are taken", () -> locks.lockOn("h2").isPresent());
    etcdTestBed.candidates.want("c1", "h1");
    etcdTestBed.candidates.want("c2", "h2");
    locks.poke();
    Await.until("both wait", () -> waiting().containsAll(List.of("c1", "c2")));
  }

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void leavesAtOnceAndOneOfAPausedRolloutStays() {
    etcdTestBed.candidates.pause("c2");
    etcdTestBed.candidates.abandon("c1");
    locks.poke();
    Await.until("the abandoned place is gone", () -> !waiting().contains("c1"));

    assertThat(waiting()).containsExactly("c2");
  }

  @Test
  void nobodyIsGrantedForItAndWhoIsBehindItIs() {
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), Duration.ofMinutes(5));
    Await.until("it waits too", () -> waiting().contains("t2"));
    etcdTestBed.candidates.abandon("c1");
    locks.desk().leave("t1", "kernel-team", "done");

    Await.until("both are served", () -> waiting().isEmpty());
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("t2");
    assertThat(etcdTestBed.candidates.committed).containsOnlyKeys("g1");
  }

  private List<String> waiting() {
    return locks.holds().table().tickets().stream().map(Ticket::id).toList();
  }
}
