package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Writers that stood still while people broke the lock. A quarantine keeps the create revision of
 * the lock it was: who compares only that ends it.
 */
@Tag("stack")
class LateWritesTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void releaseThatComesLateEndsNoQuarantine() throws Exception {
    EtcdLocks grantor = etcdTestBed.grantor();
    Interference interference = new Interference().pausingAt("release");
    EtcdLocks client = etcdTestBed.open(interference);
    EtcdTestBed.take(client, "t1", "h1");
    Thread releasing =
        Thread.ofVirtual().start(() -> client.desk().leave("t1", "kernel-team", "done"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    quarantine(grantor, "t1");
    interference.resume.countDown();
    assertThat(releasing.join(Duration.ofSeconds(20))).isTrue();
    assertThat(grantor.lockOn("h1").map(LockRecord::kind)).contains(LockRecord.Kind.QUARANTINE);
  }

  @Test
  void grantorThatComesLateEndsNoQuarantine() throws Exception {
    Interference interference = new Interference().pausingAt("remove lapsed");
    EtcdLocks grantor = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks clients = etcdTestBed.open();
    clients.desk().answer(EtcdTestBed.ticket("t1", Mode.TRY, 2, "h1"), true, LONG);
    clients.desk().submit(EtcdTestBed.ticket("next", Mode.WAIT, "h1"), LONG);
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    quarantine(clients, "t1");
    interference.resume.countDown();
    Await.until("the grantor looked again", () -> waits(clients, "held by"));
    assertThat(grantor.lockOn("h1").map(LockRecord::kind)).contains(LockRecord.Kind.QUARANTINE);
  }

  private static boolean waits(EtcdLocks locks, String reason) {
    return locks.desk().find("next").orElseThrow() instanceof RequestStatus.Waiting waiting
        && waiting.reason().contains(reason)
        && waiting.reason().contains("quarantine");
  }

  private static void quarantine(EtcdLocks locks, String id) {
    assertThat(locks.holds().quarantine(id, "h1", "broken by an administrator")).isTrue();
  }
}
