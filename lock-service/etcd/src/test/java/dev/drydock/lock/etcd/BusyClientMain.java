package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that stands for election and, elected or not, takes and releases a host of its own
 * again and again, until it is killed. Says on standard output what it got. Arguments: endpoint and
 * root of etcd, and its name.
 */
final class BusyClientMain {
  static final String GRANTED = "granted ";
  static final String REFUSED = "refused ";

  private BusyClientMain() {}

  public static void main(String[] arguments) {
    String name = arguments[2];
    AtomicLong marks = new AtomicLong();
    try (EtcdLocks locks =
        EtcdLocks.open(
            EtcdTestBed.config(URI.create(arguments[0]), arguments[1]),
            marks::incrementAndGet,
            InstantSource.system(),
            new Metrics())) {
      locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
      for (int i = 0; !System.out.checkError(); i++) {
        once(locks.desk(), name, name + i);
      }
    }
  }

  private static void once(TicketClient desk, String name, String id) {
    desk.submit(EtcdTestBed.ticket(id, Mode.TRY, "h-" + name), Duration.ofSeconds(60));
    Await.until(
        "a verdict",
        Duration.ofSeconds(30),
        () -> !(desk.find(id).orElseThrow() instanceof RequestStatus.Waiting));
    switch (desk.find(id).orElseThrow()) {
      case RequestStatus.Held held -> {
        System.out.println(GRANTED + held.locks().getFirst().token());
        desk.leave(id, name, "next");
      }
      case RequestStatus.Over over ->
          System.out.println(REFUSED + name + " " + over.note().reason());
      case RequestStatus.Waiting waiting ->
          throw new IllegalStateException("decided, and waiting again");
    }
  }
}
