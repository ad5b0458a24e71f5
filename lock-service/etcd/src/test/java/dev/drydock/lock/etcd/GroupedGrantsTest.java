package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several grants in one transaction: each stands or falls by itself. */
@Tag("stack")
class GroupedGrantsTest {
  private final Bench bench = new Bench();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    interference.resume.countDown();
    bench.close();
  }

  @Test
  void lostTicketFailsAloneInItsGroup() throws Exception {
    EtcdLocks grantor = bench.open(interference.pausingAt("grant"));
    EtcdLocks clients = bench.open();
    for (int i = 1; i <= 4; i++) {
      clients.desk().submit(Bench.ticket("t" + i, Mode.WAIT, "h" + i), Duration.ofSeconds(60));
    }
    grantor.startGrantor(Admission.exclusiveOnly(), bench.candidates);
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();

    clients.desk().leave("t2", "kernel-team", "changed my mind");
    interference.resume.countDown();

    Await.until("the others are granted", () -> clients.holds().table().locks().size() == 3);
    assertThat(clients.holds().table().locks()).containsOnlyKeys("h1", "h3", "h4");
    assertThat(
            clients.holds().table().locks().values().stream().map(lock -> lock.token()).distinct())
        .as("one revision granted them all")
        .hasSize(1);
  }
}
