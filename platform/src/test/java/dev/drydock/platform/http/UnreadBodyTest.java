package dev.drydock.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class UnreadBodyTest {
  private static final Duration HEARD_AT_MOST = Duration.ofMillis(300);
  private static final int PACE_MILLIS = 20;
  private static final int PIECES_MAX = 250;

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server, 1, 1);

  /** Answers whether it heard the client out. */
  private static final class Listener extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      boolean out = UnreadBody.read(request, HEARD_AT_MOST);
      Content.Sink.write(response, true, "heard out: " + out + "\n", callback);
      return true;
    }
  }

  @BeforeEach
  void open() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(new Listener());
    server.start();
  }

  @AfterEach
  void close() throws Exception {
    server.stop();
  }

  @Test
  void cutsOffAClientThatKeepsSendingSlowly() throws IOException {
    assertThat(answer("Content-Length: 1000000", "x", PIECES_MAX)).isEqualTo("heard out: false");
    assertThat(answer("Transfer-Encoding: chunked", "1\r\nx\r\n", PIECES_MAX))
        .isEqualTo("heard out: false");
  }

  @Test
  void hearsOutAClientThatSendsSlowlyButEnds() throws IOException {
    assertThat(answer("Content-Length: 3", "x", 3)).isEqualTo("heard out: true");
  }

  /**
   * What the server answers one who sends a piece whenever it has waited in vain for the answer.
   */
  private String answer(String length, String piece, int piecesMax) throws IOException {
    String head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n\r\n";
    try (Socket socket = new Socket("127.0.0.1", connector.getLocalPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(head.formatted(length).getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(PACE_MILLIS);
      for (int sent = 0; sent < piecesMax && !answered(socket); sent++) {
        out.write(piece.getBytes(StandardCharsets.US_ASCII));
      }
      socket.setSoTimeout(PACE_MILLIS * PIECES_MAX);
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .lines()
          .filter(line -> line.startsWith("heard out"))
          .findFirst()
          .orElse("nothing");
    }
  }

  /** Whether the answer began within a moment; its first byte is gone then. */
  private static boolean answered(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException notYet) {
      return false;
    }
  }
}
