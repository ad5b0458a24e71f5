package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.LockState;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.HostLock;
import dev.drydock.proto.client.LeaseKeeper;
import dev.drydock.proto.client.WireCollections;
import dev.drydock.proto.clock.BootClock;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client's side of a lease, over a clock the test moves. */
final class LeaseKeeperTest {
  private static final Duration MARGIN = Duration.ofSeconds(1);

  @TempDir Path home;
  private final BootClock real = BootClock.system();
  private volatile Duration ahead = Duration.ZERO;
  private final LinkedBlockingQueue<String> lost = new LinkedBlockingQueue<>();
  private FakeServer server;
  private DrydockClient client;

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, LockRunTest.lock("Held", ""))
        .on("POST locks/t1?action=renew", 200, "");
    Path token = Files.writeString(home.resolve("token"), "t0ken");
    client =
        new DrydockClient(
            ClientConfig.of(URI.create(server.url()), token).withRetryBudget(Duration.ZERO));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HostLock held(int maxSeconds) throws InterruptedException {
    TicketRequest request =
        new TicketRequest()
            .setHosts(WireCollections.strings(List.of("h01")))
            .setMode(TicketMode.Wait)
            .setReason("test")
            .setLeaseSeconds(5)
            .setMaxSeconds(maxSeconds);
    HostLock lock = HostLock.of(client, request, () -> real.sinceBoot().plus(ahead));
    assertThat(lock.await(Duration.ofSeconds(20), waiting -> {}).getState())
        .isEqualTo(LockState.Held);
    return lock;
  }

  private @Nullable String lostWithin(int seconds) throws InterruptedException {
    return lost.poll(seconds, TimeUnit.SECONDS);
  }

  @Test
  void renewsAsLongAsItIsHeld() throws Exception {
    try (LeaseKeeper keeper = held(0).keep(MARGIN, lost::add)) {
      assertThat(lostWithin(7)).as("longer than the lease").isNull();
      assertThat(keeper.lost()).isEmpty();
    }
    assertThat(server.calls()).filteredOn(call -> call.contains("renew")).hasSizeGreaterThan(5);
  }

  @Test
  void aMachineThatSleptThroughItsLeaseHasLostIt() throws Exception {
    try (LeaseKeeper keeper = held(0).keep(MARGIN, lost::add)) {
      ahead = Duration.ofSeconds(60);
      assertThat(lostWithin(20)).contains("could not be renewed in time");
      assertThat(keeper.lost()).isPresent();
    }
  }

  @Test
  void theDeclaredMaximumEndsIt() throws Exception {
    try (LeaseKeeper keeper = held(3).keep(MARGIN, lost::add)) {
      assertThat(lostWithin(20)).contains("declared maximum is over");
    }
  }
}
