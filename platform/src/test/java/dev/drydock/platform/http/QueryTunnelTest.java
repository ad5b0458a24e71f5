package dev.drydock.platform.http;

import static dev.drydock.platform.http.HttpTestServer.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries too long for a request line come as the body of a POST. */
final class QueryTunnelTest {
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String LONG_QUERY =
      "q=names&names="
          + IntStream.range(0, 5_000)
              .mapToObj(i -> "h" + i)
              .collect(Collectors.joining(",", "List(r%2F1,", ")"));

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

  private static Answer send(
      String caller, String method, String override, String type, String body) {
    return api.send(
        api.request(method, "/api/berths", body)
            .setHeader("Content-Type", type)
            .header("X-HTTP-Method-Override", override)
            .header("Authorization", "Bearer " + TestApi.token(caller))
            .build());
  }

  /** A viewer may read and not create: what is judged is the GET and not the POST around it. */
  @Test
  void aLongQueryIsAnsweredAsTheGetItIs() {
    Answer answer = send("viewer", "POST", "GET", FORM, LONG_QUERY);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"name\":\"r/1\"");
  }

  /** The control: the same query in the request line, after which the server hangs up. */
  @Test
  void theSameQueryDoesNotFitIntoARequestLine() throws Exception {
    HttpRequest request =
        api.request("GET", "/api/berths?" + LONG_QUERY, "")
            .header("Authorization", "Bearer " + TestApi.token("viewer"))
            .build();
    // By a client of its own: another test might be given the connection.
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(414);
    }
  }

  @Test
  void queryAndBodyComeAsTwoParts() {
    String parts =
        """
        --xyz\r
        Content-Type: application/x-www-form-urlencoded\r
        \r
        action=moor\r
        --xyz\r
        Content-Type: application/json\r
        \r
        {"release": %s, "count": 2}\r
        --xyz--\r
        """
            .formatted(RELEASE.strip());
    String type = "multipart/mixed; boundary=xyz";
    Answer moored = send("operator", "POST", "POST", type, parts);
    assertThat(moored.status()).as(moored.body()).isEqualTo(200);
    assertThat(moored.body()).contains("operator moors 2 r/1");
    assertThat(send("viewer", "POST", "POST", type, parts).status()).isEqualTo(403);
    Answer wrong = send("operator", "POST", "POST", type, parts.replace("2}", "1.5}"));
    assertThat(wrong.status()).as("the body inside is judged").isEqualTo(422);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | PATCH | application/x-www-form-urlencoded | must be GET",
        "POST | get   | application/x-www-form-urlencoded | must be GET",
        "PUT  | GET   | application/x-www-form-urlencoded | only with POST",
        "POST | GET   | application/json                  | Content-Type must be",
        "POST | GET   | multipart/mixed                   | two parts",
        "POST | GET   | multipart/mixed; boundary=other   | two parts",
      })
  void whatIsNoTunnelIsRefused(String method, String override, String type, String why) {
    Answer answer = send("admin", method, override, type, "q=names&names=List(a)");
    HttpTestServer.refused(answer, 400, "BAD_TUNNEL");
    assertThat(answer.body()).contains(why);
  }

  @Test
  void aQueryThatIsNoUriIsRefused() {
    HttpTestServer.refused(
        send("viewer", "POST", "GET", FORM, "q=names&names=<>"), 400, "BAD_TUNNEL");
  }

  @Test
  void limitsAndTokensHoldAsForEveryRequest() {
    Answer large = send("viewer", "POST", "GET", FORM, LONG_QUERY + "&x=" + "y".repeat(64 * 1024));
    HttpTestServer.refused(large, 413, "BODY_TOO_LARGE");
    HttpTestServer.refused(send("nobody", "POST", "GET", FORM, LONG_QUERY), 401, "WRONG_TOKEN");
  }
}
