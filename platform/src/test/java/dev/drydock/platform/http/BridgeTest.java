package dev.drydock.platform.http;

import static dev.drydock.platform.http.HttpTestServer.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestApi;
import dev.drydock.proto.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class BridgeTest {
  private static TestApi api;

  @BeforeAll
  static void open() {
    api = HttpTestServer.open();
    assertThat(api.call("operator", "POST", "/api/berths", RELEASE).status()).isEqualTo(201);
  }

  @AfterAll
  static void close() {
    api.close();
  }

  @Test
  void tellsTheIdOfWhatItCreated() {
    var answer = api.call("operator", "POST", "/api/berths", RELEASE);
    assertThat(answer.header("x-restli-id")).contains("r/1");
    assertThat(answer.header("location")).contains("/api/berths/r%2F1");
  }

  @Test
  void takesKeysWithASlash() {
    assertThat(api.call("viewer", "GET", "/api/berths/r%2F1", "").body())
        .contains("\"name\":\"r/1\"");
  }

  @Test
  void takesListsOfKeysAndOfParameters() {
    Map<String, Object> batch =
        Json.readTree(api.call("viewer", "GET", "/api/berths?ids=List(r%2F1,none)", "").body());
    assertThat((Map<?, ?>) batch.get("results")).hasSize(1);
    assertThat(api.call("viewer", "GET", "/api/berths?q=names&names=List(r%2F1,none)", "").body())
        .contains("\"name\":\"r/1\"");
  }

  @Test
  void answersOnlyTheFieldsAskedFor() {
    assertThat(api.call("viewer", "GET", "/api/berths/r%2F1?fields=kernel", "").body())
        .isEqualTo("{\"kernel\":\"k\"}");
  }

  @Test
  void handsThePrincipalToTheResource() {
    String body = "{\"count\": 3, \"release\": " + RELEASE + "}";
    assertThat(api.call("operator", "POST", "/api/berths?action=moor", body).body())
        .isEqualTo("{\"value\":\"operator moors 3 r/1\"}");
  }

  @Test
  void runsResourcesOnVirtualThreads() {
    assertThat(api.call("operator", "POST", "/api/berths?action=thread", "{}").body())
        .isEqualTo("{\"value\":true}");
  }

  /**
   * Rest.li calls back twice after malformed JSON; a second answer would stand before the next one.
   */
  @Test
  void keepsTheConnectionInOrderAfterMalformedJson() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", api.address().getPort())) {
      socket.setSoTimeout(10_000);
      for (int round = 0; round < 3; round++) {
        send(socket, "admin", "POST", "/api/berths", "{\"name\":");
        assertThat(answer(socket)).startsWith("400 ").contains("MALFORMED_JSON");
        send(socket, "admin", "GET", "/api/berths/r%2F1", "");
        assertThat(answer(socket)).startsWith("200 ").contains("r/1");
        send(socket, "admin", "GET", "/api/berths/none", "");
        assertThat(answer(socket)).startsWith("404 ");
      }
    }
  }

  /** A client that is hung up on while it sends may never see the answer. */
  @Test
  void hearsOutAClientThatItRefuses() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", api.address().getPort())) {
      socket.setSoTimeout(10_000);
      // More than the buffers on the way hold, so it is sent to its end only if somebody reads it.
      String body = "x".repeat(12_000_000);
      for (String caller : List.of("nobody", "admin")) {
        send(socket, caller, "POST", "/api/berths", body);
        assertThat(answer(socket))
            .startsWith(caller.equals("admin") ? "413 " : "401 ")
            .contains(caller.equals("admin") ? "BODY_TOO_LARGE" : "WRONG_TOKEN");
      }
    }
  }

  private static void send(Socket socket, String caller, String method, String path, String body)
      throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(head(caller, method, path, body.length()));
    out.write(body.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static byte[] head(String caller, String method, String path, int bytes) {
    String head =
        """
        %s %s HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer %s\r
        X-RestLi-Protocol-Version: 2.0.0\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        """
            .formatted(method, path, TestApi.token(caller), bytes);
    return head.getBytes(StandardCharsets.US_ASCII);
  }

  private static String answer(Socket socket) throws IOException {
    // One reader per answer is safe: the next request goes out only after this answer is read
    // whole.
    BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    String status = String.valueOf(in.readLine()).replace("HTTP/1.1 ", "");
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    char[] body = new char[length];
    for (int read = 0; read < length; ) {
      read += in.read(body, read, length - read);
    }
    assertThat(in.ready()).as("nothing follows the answer").isFalse();
    return status + " " + new String(body);
  }
}
