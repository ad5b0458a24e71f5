package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class LostAnswerTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void answerOfCandidateGrantLost_isOneGrantAndNothingStuck() {
    interference.losingAnswerOf("grant");
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    etcdTestBed.candidates.want("c1", "h1", "h2");
    etcdTestBed.candidates.want("c2", "h3");
    locks.poke();

    Await.until("both are recorded", () -> etcdTestBed.candidates.committed.size() == 2);

    assertThat(interference.spent()).isTrue();
    assertThat(etcdTestBed.candidates.proposed).hasSize(2);
    assertThat(etcdTestBed.candidates.voided).isEmpty();
    assertThat(locks.holds().find("g1"))
        .extracting(LockRecord::token)
        .containsOnly(etcdTestBed.candidates.committed.get("g1"))
        .hasSize(2);
  }

  @Test
  void requestOfCandidateGrantLost_isVoidedAndGrantedAnew() {
    interference.losingRequestOf("grant");
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();

    Await.until(
        "granted at the second attempt", () -> etcdTestBed.candidates.committed.size() == 1);

    assertThat(etcdTestBed.candidates.voided).containsExactly("g1");
    assertThat(etcdTestBed.candidates.committed).containsOnlyKeys("g2");
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("g2");
  }

  @Test
  void answerOfSessionGrantLost_isOneGrantAndNothingStuck() {
    interference.losingAnswerOf("grant");
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), Duration.ofSeconds(60));

    Await.until("granted", () -> locks.lockOn("h1").isPresent());
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("t1");
    locks.desk().leave("t1", "kernel-team", "done");
    Await.until(
        "the next one is granted",
        () -> locks.lockOn("h1").map(LockRecord::id).orElse("").equals("t2"));
    assertThat(interference.spent()).isTrue();
  }

  @Test
  void answerOfTicketLost_isOneTicket() {
    interference.losingAnswerOf("take ticket");
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());

    EtcdTestBed.take(locks, "t1", "h1");

    assertThat(locks.holds().table().tickets()).isEmpty();
    assertThat(interference.spent()).isTrue();
  }
}
