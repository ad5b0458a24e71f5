package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens between two steps of one call. */
@Tag("stack")
class TicketsTest {
  private static final Principal KERNEL =
      new Principal("kernel", "kernel", Role.OPERATOR, Set.of());

  private final EtcdLocks locks =
      EtcdLocks.open(
          new EtcdConfig(
              List.of(TestEtcd.shared().endpoint()),
              "/test-" + UUID.randomUUID() + "/",
              4096,
              Duration.ofSeconds(5),
              Duration.ofSeconds(2),
              Duration.ofSeconds(10)),
          () -> 1,
          InstantSource.system(),
          new Metrics());

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void renewalOfAHoldThatLeftTheQueueMeanwhileIsToldSo() {
    locks.polled().submit(waiting("m-1"));
    InstantSource leaves =
        () -> {
          locks.desk().leave("m-1", "kernel", "withdrawn");
          return Instant.now();
        };
    Tickets tickets =
        new Tickets(
            locks,
            new TicketValidation(hosts -> Set.of()),
            (principal, action, object, detail) -> {},
            Optional::empty,
            leaves);

    assertThatThrownBy(() -> tickets.renew(KERNEL, "m-1"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("m-1 is over: ");
  }

  /** Nobody would decide, and after a while it would be told that no grantor runs. */
  @Test
  void aTryInRecoveryModeIsToldSoAtOnce() {
    Tickets tickets =
        new Tickets(
            locks,
            new TicketValidation(hosts -> Set.of()),
            (principal, action, object, detail) -> {},
            () -> Optional.of("etcd has beat 3, and is known to have had beat 9"),
            InstantSource.system());
    TicketRequest request =
        new TicketRequest()
            .setHosts(new StringArray("h1"))
            .setMode(TicketMode.Try)
            .setReason("disk")
            .setLeaseSeconds(30);
    assertThatThrownBy(() -> tickets.take(KERNEL, request))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("in recovery mode: etcd has beat 3")
        .hasMessageContaining("drydock recovery status");
    assertThat(locks.desk().all()).isEmpty();
  }

  private static Ticket waiting(String id) {
    return new Ticket(
        id,
        Ticket.Mode.FLEETLOCK,
        List.of("h1"),
        List.of(),
        "kernel",
        "disk",
        Instant.now().plusSeconds(60),
        60,
        0);
  }
}
