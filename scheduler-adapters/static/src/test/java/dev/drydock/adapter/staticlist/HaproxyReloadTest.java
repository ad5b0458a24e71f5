package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.ProcUptimeClock;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real HAProxy that is started anew has forgotten who was out; one with checks, one without. */
@Tag("lab")
@Timeout(60)
final class HaproxyReloadTest {
  private static final Set<String> HOSTS = Set.of("h01", "h02", "h03");

  @TempDir Path folder;
  private final ProcUptimeClock clock = new ProcUptimeClock();
  private Process haproxy;
  private HaproxyRotation rotation;
  private StaticAdapter adapter;
  private Path configuration;

  @BeforeEach
  void begin() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    configuration =
        Files.writeString(
            folder.resolve("haproxy.cfg"),
            """
            global
              stats socket ipv4@127.0.0.1:%d level admin
            defaults
              mode http
              timeout connect 1s
              timeout client 5s
              timeout server 5s
            backend web
              server h01 127.0.0.1:1 check inter 100
              server h02 127.0.0.1:1
              server h03 127.0.0.1:1
            """
                .formatted(port));
    RotationAddress address = new RotationAddress("haproxy", "127.0.0.1", port);
    rotation = new HaproxyRotation(address);
    Allocation allocation =
        new Allocation(
            "static",
            "static",
            new SshAccess("root", Path.of("key"), Path.of("known")),
            address,
            HOSTS.stream().map(HaproxyReloadTest::host).toList(),
            HOSTS.stream().map(HaproxyReloadTest::web).toList());
    SimulatedHost simulatedHost = new SimulatedHost(List.of());
    adapter =
        new StaticAdapter(
            () -> allocation,
            new StaticAdapter.Tools(
                simulatedHost, rotation, simulatedHost, PollDelay.real(), InstantSource.system()),
            false);
    start();
  }

  private static FixedHost host(String name) {
    return new FixedHost(name, "127.0.0.1", "standard", Map.of(), Map.of());
  }

  private static FixedInstance web(String host) {
    return new FixedInstance("web@" + host, "web", host, 1, "/", "web", "z1", 1, "");
  }

  private void start() throws IOException {
    haproxy = new ProcessBuilder("haproxy", "-db", "-f", configuration.toString()).start();
    while (true) {
      try {
        rotation.read();
        return;
      } catch (IOException e) {
        assertThat(haproxy.isAlive()).isTrue();
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    haproxy.destroyForcibly().waitFor();
  }

  private Lease lease() {
    return new Lease(clock, clock.millis(), 5);
  }

  @Test
  void whoWasOutIsOutAgainAfterItWasLoadedAnew() throws Exception {
    assertThat(adapter.admitted(HOSTS)).as("down or not").isEqualTo(HOSTS);
    for (String host : List.of("h01", "h02")) {
      assertThat(adapter.takeOut(host, lease())).containsExactly("web@" + host);
    }
    assertThat(adapter.admitted(HOSTS)).containsExactly("h03");
    end();
    start();
    assertThat(adapter.admitted(HOSTS)).as("the control: it has forgotten").isEqualTo(HOSTS);
    adapter.takeOut("h01", lease());
    adapter.takeOut("h02", lease());
    assertThat(adapter.admitted(HOSTS)).containsExactly("h03");
    assertThat(rotation.read().serves(web("h02"))).isFalse();
    adapter.putBack("h02", List.of("web@h02"), lease());
    assertThat(adapter.admitted(HOSTS)).containsExactlyInAnyOrder("h02", "h03");
  }
}
