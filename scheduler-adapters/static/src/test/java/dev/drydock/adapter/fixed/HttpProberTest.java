package dev.drydock.adapter.fixed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Allocation.RotationAddress;
import dev.drydock.adapter.fixed.Allocation.SshAccess;
import dev.drydock.adapter.fixed.Prober.Health;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HttpProberTest {
  private static FixedInstance at(int port) {
    return new FixedInstance("web@h01", "web", "h01", port, "/health", "web", "z1", 1, "");
  }

  private static Health probe(int port) throws InterruptedException {
    FixedHost host = new FixedHost("h01", "127.0.0.1", "standard", Map.of(), Map.of());
    Allocation allocation =
        new Allocation(
            "static",
            "static",
            new SshAccess("root", Path.of("k"), Path.of("h")),
            new RotationAddress("haproxy", "127.0.0.1", 1),
            List.of(host),
            List.of(at(port)));
    try (HttpProber prober = new HttpProber(allocation)) {
      return prober
          .probe(allocation.instances())
          .getOrDefault(at(port), new Health.Absent("not asked"));
    }
  }

  @Test
  void aRefusedConnectionMeansThatNothingRunsThere() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    assertThat(probe(port)).isInstanceOf(Health.Absent.class);
  }

  @Test
  void somethingThatDoesNotAnswerCannotBeTold() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(probe(mute.getLocalPort())).isInstanceOf(Health.Silent.class);
    }
  }
}
