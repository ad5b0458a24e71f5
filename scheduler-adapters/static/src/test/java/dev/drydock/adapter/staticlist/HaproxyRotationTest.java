package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.LeaseLostException;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The balancer compares no tokens: what leaves after the end of a lease nobody would refuse. */
@Timeout(30)
final class HaproxyRotationTest {
  private static final FixedInstance WEB =
      new FixedInstance("web@h01", "web", "h01", 8101, "/health", "web", "z1", 1, "");

  private record Seen(String arrived, boolean refused) {}

  /** Sets an instance at a balancer that answers with an empty line. */
  private static Seen drain(Lease lease) throws Exception {
    try (ServerSocket balancer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> arrived = CompletableFuture.supplyAsync(() -> accept(balancer));
      RotationAddress address =
          new RotationAddress("haproxy", "127.0.0.1", balancer.getLocalPort());
      boolean refused = false;
      try {
        new HaproxyRotation(address).drain(WEB, lease);
      } catch (LeaseLostException e) {
        refused = true;
      }
      return new Seen(arrived.get(10, TimeUnit.SECONDS), refused);
    }
  }

  private static String accept(ServerSocket balancer) {
    try (Socket connection = balancer.accept()) {
      StringBuilder line = new StringBuilder();
      for (int read = connection.getInputStream().read();
          read >= 0 && read != '\n';
          read = connection.getInputStream().read()) {
        line.append((char) read);
      }
      connection.getOutputStream().write("\n".getBytes(StandardCharsets.US_ASCII));
      return line.toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void sendsWithALiveLease() throws Exception {
    assertThat(drain(new Lease(() -> 0, 0, 15)))
        .isEqualTo(new Seen("set server web/h01 state drain", false));
  }

  /** It was connected already when the lease ended. */
  @Test
  void sendsNothingOnceTheLeaseEnded() throws Exception {
    assertThat(drain(new Lease(() -> 15_000, 0, 15))).isEqualTo(new Seen("", true));
  }

  /** As HAProxy 2.6 told it of one that is down and let in, one in maintenance, one drained. */
  @Test
  void readsWhatAdministratorsLetIn() throws IOException {
    String told =
        """
        1
        # be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight
        2 web 1 h01 10.0.0.11 0 0 1
        2 web 2 h02 10.0.0.12 0 1 1
        2 web 3 h03 10.0.0.13 2 8 1

        """;
    assertThat(HaproxyRotation.parseAdmitted(told)).containsExactly("web/h01");
    assertThatThrownBy(() -> HaproxyRotation.parseAdmitted("Permission denied"))
        .hasMessageContaining("told no states");
  }
}
