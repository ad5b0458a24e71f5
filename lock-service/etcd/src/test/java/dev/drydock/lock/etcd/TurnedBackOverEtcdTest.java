package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Holds.End;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch that a check turned back keeps its age (protocol P7), whoever is the grantor. */
@Tag("stack")
class TurnedBackOverEtcdTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void standsBeforeWhoWasAcceptedSinceItsFirstTurnAlsoWithTheNextGrantor() {
    EtcdLocks first = etcdTestBed.grantor();
    granted(first, "c1", "g1");
    wait(first, "t1");

    etcdTestBed.candidates.turnedBack("g1");
    first.poke();
    Await.until("it has a place again", () -> waiting(first).size() == 2);
    assertThat(waiting(first)).containsExactly("c1", "t1");
    first.poke();
    Await.until(
        "its rollout is told of its place, to offer it each time",
        () -> etcdTestBed.candidates.places.equals(Set.of("c1")));
    Ticket place = first.holds().table().tickets().getFirst();
    assertThat(place.seniority())
        .isEqualTo(new Seniority(first.lockOn("h1").orElseThrow().token(), 0));
    assertThat(place.createRevision()).isGreaterThan(place.seniority().revision());
    first.close();

    EtcdLocks next = etcdTestBed.grantor();
    end(next, "g1");

    Await.until("it is granted again", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    assertThat(holder(next)).isEqualTo("g2");
    assertThat(waiting(next)).containsExactly("t1");
  }

  @Test
  void controlWithoutItsAgeItIsTheLast() {
    EtcdLocks locks = etcdTestBed.grantor();
    granted(locks, "c1", "g1");
    wait(locks, "t1");

    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("it has a place again", () -> waiting(locks).size() == 2);
    end(locks, "g1");

    Await.until("t1 is granted", () -> holder(locks).equals("t1"));
    assertThat(waiting(locks)).containsExactly("c1");
  }

  @Test
  void keepsTheAgeOfItsFirstTicketHoweverOftenItIsTurnedBack() {
    EtcdLocks locks = etcdTestBed.grantor();
    wait(locks, "t0");
    Await.until("t0 is granted", () -> holder(locks).equals("t0"));
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("the candidate waits", () -> waiting(locks).contains("c1"));
    Seniority age = locks.holds().table().tickets().getFirst().seniority();
    wait(locks, "t1");
    wait(locks, "t2");
    locks.desk().leave("t0", "kernel-team", "done");
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    end(locks, "g1");
    Await.until("while it backs off, t1 is granted", () -> holder(locks).equals("t1"));
    for (int time = 1; time <= 2; time++) {
      String again = "g" + (time + 1);
      etcdTestBed.candidates.turnedBack("g" + time);
      locks.poke();
      Await.until("it has a place again", () -> waiting(locks).contains("c1"));
      assertThat(locks.holds().table().tickets().getFirst().seniority()).isEqualTo(age);
      assertThat(waiting(locks)).containsExactly("c1", "t2");
      release(locks);
      Await.until("granted again", () -> etcdTestBed.candidates.committed.containsKey(again));
    }
  }

  /** Nobody tells the grantor that a back-off is over; the next change of a host finds it so. */
  @Test
  void isNotPassedWhenItsBackOffEndsUnnoticed() {
    EtcdLocks locks = etcdTestBed.grantor();
    granted(locks, "c1", "g1");
    wait(locks, "t1");
    Await.until("t1 waits", () -> waiting(locks).contains("t1"));

    etcdTestBed.candidates.turnedBack("g1");
    end(locks, "g1");

    Await.until("it is granted again", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    assertThat(waiting(locks)).containsExactly("t1");
  }

  @Test
  void aForeignTryDoesNotPassIt() {
    EtcdLocks locks = etcdTestBed.grantor(TransactionHook.NONE, EtcdTestBed.atMost(1));
    granted(locks, "c1", "g1");
    etcdTestBed.candidates.want("c2", "h2");
    end(locks, "g1");
    Await.until("others take the budget", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    etcdTestBed.candidates.turnedBack("g1");
    locks.poke();
    Await.until("it has a place again", () -> waiting(locks).contains("c1"));

    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.TRY, "h1"), Duration.ofSeconds(15));
    Await.until(
        "refused", () -> locks.desk().find("t1").orElseThrow() instanceof RequestStatus.Over);

    RequestStatus.Over over = (RequestStatus.Over) locks.desk().find("t1").orElseThrow();
    assertThat(over.note().reason()).contains("h1 is awaited by web-team, who came first");
  }

  @Test
  void lostAnswerOfItsNewPlaceIsOnePlace() {
    Interference interference = new Interference();
    EtcdLocks locks = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    granted(locks, "c1", "g1");
    interference.losingAnswerOf("enqueue");

    etcdTestBed.candidates.turnedBack("g1");
    locks.poke();
    Await.until("it has a place again", () -> interference.spent() && !waiting(locks).isEmpty());
    end(locks, "g1");

    Await.until("it is granted again", () -> etcdTestBed.candidates.committed.containsKey("g2"));
    assertThat(waiting(locks)).isEmpty();
    assertThat(etcdTestBed.candidates.voided).isEmpty();
  }

  private void granted(EtcdLocks locks, String candidate, String grant) {
    etcdTestBed.candidates.want(candidate, "h1");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey(grant));
  }

  private static void wait(EtcdLocks locks, String id) {
    locks.desk().submit(EtcdTestBed.ticket(id, Mode.WAIT, "h1"), Duration.ofSeconds(60));
  }

  private static void release(EtcdLocks locks) {
    if (holder(locks).startsWith("g")) {
      end(locks, holder(locks));
    } else {
      locks.desk().leave(holder(locks), "kernel-team", "done");
    }
  }

  private static void end(EtcdLocks locks, String grant) {
    long token = locks.lockOn("h1").orElseThrow().token();
    locks.holds().end(new End(grant, List.of("h1"), token, 7, "batch", "Requeued"));
  }

  private static String holder(EtcdLocks locks) {
    return locks.lockOn("h1").map(LockRecord::id).orElse("");
  }

  private static List<String> waiting(EtcdLocks locks) {
    return locks.holds().table().tickets().stream().map(Ticket::id).toList();
  }
}
