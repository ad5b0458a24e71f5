package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import dev.drydock.adapter.staticlist.Prober.Health;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class HttpProberTest {
  private static FixedInstance at(int port) {
    return new FixedInstance("web@h01", "web", "h01", port, "/health", "web", "z1", 1, "");
  }

  private static Health probe(int port) throws InterruptedException {
    return probe(
        new FixedHost("h01", "127.0.0.1", "standard", Map.of(), Map.of()), "/health", port);
  }

  private static Health probe(FixedHost host, String path, int port) throws InterruptedException {
    FixedInstance instance =
        new FixedInstance("web@h01", "web", "h01", port, path, "web", "z1", 1, "");
    Allocation allocation =
        new Allocation(
            "static",
            "static",
            new SshAccess("root", Path.of("k"), Path.of("h")),
            new RotationAddress("haproxy", "127.0.0.1", 1),
            List.of(host),
            List.of(instance));
    try (HttpProber prober = new HttpProber(() -> allocation)) {
      return prober
          .probe(allocation.instances())
          .getOrDefault(instance, new Health.Absent("not asked"));
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

  private static Health probe(String address, String path) throws InterruptedException {
    return probe(new FixedHost("h01", address, "standard", Map.of(), Map.of()), path, 1);
  }

  @Test
  void oneThatCannotBeAskedIsToldAndStopsNoOther() throws Exception {
    assertThat(probe("h_03", "/health")).isInstanceOf(Health.Silent.class);
    assertThat(((Health.Silent) probe("10.0.0.1", "health page")).why())
        .startsWith("it cannot be asked: ");
  }

  @Test
  void anAddressWithColonsIsAsked() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      FixedHost host = new FixedHost("h01", "::1", "standard", Map.of(), Map.of());
      CompletableFuture<String> asked =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = taken.accept()) {
                  byte[] read = new byte[4096];
                  return new String(
                      read, 0, socket.getInputStream().read(read), StandardCharsets.UTF_8);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(probe(host, "/health", taken.getLocalPort())).isInstanceOf(Health.Silent.class);
      assertThat(asked.get()).startsWith("GET /health ");
    }
  }

  @Test
  void somethingThatDoesNotAnswerCannotBeTold() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(probe(mute.getLocalPort())).isInstanceOf(Health.Silent.class);
    }
  }
}
