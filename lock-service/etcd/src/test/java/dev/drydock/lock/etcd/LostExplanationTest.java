package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.etcd.GrantorRunner.Result;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever is to be told why it waits may have left. */
@Tag("stack")
class LostExplanationTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final EtcdLocks locks = etcdTestBed.open();
  private final Leadership leadership =
      new Election(etcdTestBed.direct(), BootClock.system(), "test").attempt().orElseThrow();
  private final DecisionExecutor decisionExecutor =
      new DecisionExecutor(
          new GrantorDependencies(
              etcdTestBed.direct(),
              locks.mirror(),
              new LockDelays(Instant::now, System::nanoTime),
              Admission.exclusiveOnly(),
              etcdTestBed.candidates,
              etcdTestBed.marks::incrementAndGet,
              Instant::now,
              new Metrics(),
              true));

  @AfterEach
  void close() {
    leadership.close();
    etcdTestBed.close();
  }

  @Test
  void repeatsNoPassAndIsToldOnceThereIsSomebodyToTell() {
    Ticket here = enter("here");
    Ticket left = EtcdTestBed.ticket("left", Mode.WAIT, "h2");

    assertThat(explain(left, here)).isEqualTo(Result.DONE);
    assertThat(told("here")).isTrue();
    assertThat(told("left")).isFalse();

    enter("left");
    assertThat(explain(left, here)).isEqualTo(Result.DONE);
    assertThat(told("left")).as("it was not told before").isTrue();
  }

  @Test
  void whatTheFenceRefusesIsDecidedAgain() {
    Ticket here = enter("here");

    assertThat(explain(leadership.fence() + 1, here)).isEqualTo(Result.REPEAT);
    assertThat(told("here")).isFalse();
  }

  private Ticket enter(String id) {
    Ticket ticket = EtcdTestBed.ticket(id, Mode.WAIT, "h1");
    locks.desk().submit(ticket, Duration.ofSeconds(60));
    return ticket;
  }

  private Result explain(Ticket... tickets) {
    return explain(leadership.fence(), tickets);
  }

  private Result explain(long leader, Ticket... tickets) {
    List<GrantorDecision> decisions =
        List.of(tickets).stream()
            .<GrantorDecision>map(
                ticket -> new GrantorDecision.TicketWaits(ticket, "not yet", false))
            .toList();
    long generation = locks.mirror().askNow(replica -> replica.snapshot(List.of()).generation());
    Fence fence = new Fence(Optional.of(leader), generation);
    return decisionExecutor.carryOut(
        decisions, new DecisionExecutor.CommitContext(new Replica(), fence, leadership, true));
  }

  private boolean told(String id) {
    return etcdTestBed.direct().get(new Key.Verdict(id)).isPresent();
  }
}
