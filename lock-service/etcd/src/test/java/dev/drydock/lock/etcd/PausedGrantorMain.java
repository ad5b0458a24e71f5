package dev.drydock.lock.etcd;

import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A grantor in a process of its own, for {@link PausedProcessTest}. Wants h1 and says on standard
 * output how far it is; right before the transaction of its first grant it waits for a line on
 * standard input. Arguments: endpoint and root of etcd, and whether to compare the leadership.
 */
final class PausedGrantorMain {
  static final String ABOUT_TO_GRANT = "about to grant";
  static final String GRANTED = "granted";
  static final String REFUSED = "refused, pending again:";

  private final AtomicBoolean stopped = new AtomicBoolean();

  private PausedGrantorMain() {}

  public static void main(String[] arguments) throws Exception {
    new PausedGrantorMain().run(arguments[0], arguments[1], Boolean.parseBoolean(arguments[2]));
  }

  private void run(String endpoint, String root, boolean fenced) throws IOException {
    AtomicLong marks = new AtomicLong();
    FakeCandidates candidates = new FakeCandidates();
    candidates.want("c1", "h1");
    try (EtcdLocks locks =
        EtcdLocks.open(
            EtcdTestBed.config(URI.create(endpoint), root),
            marks::incrementAndGet,
            InstantSource.system(),
            new Metrics(),
            new Stop())) {
      locks.startGrantor(EtcdTestBed.atMost(1), candidates, fenced);
      Await.until(
          "the late grant is settled",
          PausedProcessTest.PATIENCE,
          () -> !candidates.committed.isEmpty() || !candidates.voided.isEmpty());
      boolean pendingAgain = !candidates.pending(List.of(), 1).isEmpty();
      say(candidates.committed.containsKey("g1") ? GRANTED : REFUSED + " " + pendingAgain);
    }
  }

  /** Everything is decided and compared; only the transaction is missing. */
  private final class Stop implements TransactionHook {
    @Override
    public void before(String transaction) {
      if (transaction.equals("grant") && stopped.compareAndSet(false, true)) {
        say(ABOUT_TO_GRANT);
        try {
          // The line is written while the process is stopped, and read once it goes on.
          if (System.in.read() < 0) {
            throw new IllegalStateException("the test is gone");
          }
        } catch (IOException unreadable) {
          throw new UncheckedIOException(unreadable);
        }
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
