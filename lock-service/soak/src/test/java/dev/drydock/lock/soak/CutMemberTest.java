package dev.drydock.lock.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.UnknownOutcomeException;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts go on being granted, one holder each, while a member in a container is off the network. */
@Tag("containers")
class CutMemberTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final AtomicLong marks = new AtomicLong();

  @Test
  void grantsGoOnWithoutOneMemberAndStopWithoutTwo() {
    assumeTrue(
        EtcdContainers.image().isPresent(),
        "no container engine: see tools/python -m drydock_lab engine");
    try (EtcdContainers etcd = new EtcdContainers(EtcdContainers.image().orElseThrow());
        EtcdLocks locks = open(etcd)) {
      locks.startGrantor(new HostLimitAdmission(10, Set.of("h1", "h2")), new FakeCandidates());
      take(locks, "before", "h1");
      until("granted by three", () -> holder(locks, "h1").equals("before"));

      etcd.cut(0);
      take(locks, "during", "h2");
      take(locks, "late", "h1");
      until("granted by two", () -> holder(locks, "h2").equals("during"));
      assertThat(holder(locks, "h1")).isEqualTo("before");
      repeat(() -> locks.desk().leave("before", "tester", "done"));
      until("handed over", () -> holder(locks, "h1").equals("late"));

      // The control: one member alone must grant nothing.
      etcd.cut(1);
      assertThat(answers(locks)).as("a member without a majority answers").isFalse();
    }
  }

  private EtcdLocks open(EtcdContainers etcd) {
    EtcdConfig config =
        new EtcdConfig(
            etcd.endpoints(),
            "/cut/",
            256,
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(20));
    return EtcdLocks.open(config, marks::incrementAndGet, InstantSource.system(), new Metrics());
  }

  private static void take(EtcdLocks locks, String id, String host) {
    Ticket ticket =
        new Ticket(
            id,
            Mode.WAIT,
            List.of(host),
            List.of(),
            "tester",
            "test",
            Instant.now().plusSeconds(300),
            300,
            300);
    repeat(() -> locks.desk().submit(ticket, Duration.ofSeconds(300)));
  }

  private static String holder(EtcdLocks locks, String host) {
    try {
      return locks.lockOn(host).map(LockRecord::id).orElse("");
    } catch (UnknownOutcomeException cut) {
      return "";
    }
  }

  private static boolean answers(EtcdLocks locks) {
    try {
      locks.lockOn("h1");
      return true;
    } catch (UnknownOutcomeException none) {
      return false;
    }
  }

  private static void repeat(Runnable call) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        call.run();
        return;
      } catch (UnknownOutcomeException unknown) {
        if (System.nanoTime() - end > 0) {
          throw unknown;
        }
      }
    }
  }

  private static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }
}
