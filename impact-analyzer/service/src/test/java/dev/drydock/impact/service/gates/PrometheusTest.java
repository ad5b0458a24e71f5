package dev.drydock.impact.service.gates;

import static dev.drydock.impact.service.gates.SmallPrometheus.matrix;
import static dev.drydock.impact.service.gates.SmallPrometheus.series;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.GateReading;
import dev.drydock.impact.service.gates.SmallPrometheus.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever Prometheus may say, a gate is open only if it was true all the time. */
class PrometheusTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00.123456789Z");
  private static final Gate GATE = new Gate("avg(up{a=\"b&c\"}) > 0.99", Duration.ofMinutes(5));

  private final SmallPrometheus server = new SmallPrometheus();
  private final Prometheus prometheus = new Prometheus(server.address());

  @AfterEach
  void close() {
    server.close();
  }

  private GateReading ask(SmallPrometheus.Said said) throws InterruptedException {
    server.says(said);
    return prometheus.ask(GATE, NOW);
  }

  @Test
  void holdsIfItWasTrueAtEveryStep() throws InterruptedException {
    GateReading reading =
        ask(
            query -> {
              assertThat(query)
                  .containsEntry("query", GATE.promql())
                  .containsEntry("start", "1780314900.123")
                  .containsEntry("end", "1780315200.123")
                  .containsEntry("step", "15");
              return new Answer(200, matrix(series(query, "0")));
            });
    assertThat(reading).isEqualTo(new GateReading.Holds(NOW));
  }

  @Test
  void aGateWithoutATimeIsAskedAboutNow() throws InterruptedException {
    server.says(query -> new Answer(200, matrix(series(query, "1"))));
    Gate now = new Gate("up > 0", Duration.ZERO);
    assertThat(prometheus.ask(now, NOW)).isEqualTo(new GateReading.Holds(NOW));
    server.says(_ -> new Answer(200, matrix("")));
    assertThat(prometheus.ask(now, NOW)).isEqualTo(new GateReading.Fails(NOW, "is not true"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2026-06-01T11:55:00.123",
    "7, 2026-06-01T11:56:45.123",
    "20, 2026-06-01T12:00:00.123"
  })
  void failsIfItWasNotTrueOnce(long step, String when) throws InterruptedException {
    GateReading reading = ask(query -> new Answer(200, matrix(series(query, "1", step))));
    assertThat(reading).isInstanceOf(GateReading.Fails.class);
    assertThat(reading.toString()).contains("was not true at " + when);
  }

  /** As front ends do that keep answers: start and end are multiples of the step. */
  private static Map<String, String> floored(Map<String, String> query) {
    Map<String, String> moved = new HashMap<>(query);
    for (String end : List.of("start", "end")) {
      moved.put(end, "" + Math.floorDiv((long) number(query, end), step(query)) * step(query));
    }
    return moved;
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT7S", "PT5M", "PT45H", "PT168H"})
  void holdsAtAFrontEndThatMovesStartAndEndBackToTheStep(String lasting)
      throws InterruptedException {
    Gate gate = new Gate("up > 0", Duration.parse(lasting));
    server.says(query -> new Answer(200, matrix(series(floored(query), "1"))));
    for (int seconds = 0; seconds < 61; seconds += 7) {
      Instant now = NOW.plusSeconds(seconds);
      assertThat(prometheus.ask(gate, now)).isEqualTo(new GateReading.Holds(now));
    }
  }

  /** The control: a front end makes no gap invisible, neither at an end nor in between. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 19, 20})
  void failsAtSuchAFrontEndIfItWasNotTrueOnce(long step) throws InterruptedException {
    GateReading reading = ask(query -> new Answer(200, matrix(series(floored(query), "1", step))));
    assertThat(reading).isInstanceOf(GateReading.Fails.class);
    assertThat(reading.toString()).contains("was not true at ");
  }

  /** Points that begin a whole step too early are those of another question. */
  @Test
  void failsIfPointsAreOfAnotherTime() throws InterruptedException {
    GateReading reading =
        ask(
            query -> {
              Map<String, String> early = new HashMap<>(query);
              early.put("start", "" + (number(query, "start") - step(query)));
              early.put("end", "" + (number(query, "end") - step(query)));
              return new Answer(200, matrix(series(early, "1")));
            });
    assertThat(reading).isInstanceOf(GateReading.Fails.class);
  }

  /** What one look every 72 minutes never saw. */
  @ParameterizedTest
  @CsvSource({"1h, 20", "24h, 20", "45h, 20", "168h, 60"})
  void failsIfItWasNotTrueForAMomentHoweverLongItHasToLast(String lasting, long seconds)
      throws InterruptedException {
    Gate gate = new Gate(GATE.promql(), Duration.parse("PT" + lasting.toUpperCase(Locale.ROOT)));
    Instant broke = NOW.minusSeconds(2000);
    server.says(
        query -> {
          assertThat(looks(query)).as("what a Prometheus answers at once").isLessThan(11_001);
          return new Answer(200, matrix(series(query, "1", during(query, broke, seconds))));
        });
    GateReading reading = prometheus.ask(gate, NOW);
    assertThat(reading).isInstanceOf(GateReading.Fails.class);
    assertThat(reading.toString()).contains("was not true at 2026-06-01T11:2");

    server.says(query -> new Answer(200, matrix(series(query, "1"))));
    assertThat(prometheus.ask(gate, NOW)).as("control").isEqualTo(new GateReading.Holds(NOW));
  }

  private static long looks(Map<String, String> query) {
    return Math.round(number(query, "end") - number(query, "start")) / step(query);
  }

  /** The steps of a query that lie in this time. */
  private static Long[] during(Map<String, String> query, Instant from, long seconds) {
    double first = from.getEpochSecond() - number(query, "start");
    return LongStream.rangeClosed(0, looks(query))
        .filter(n -> n * step(query) >= first && n * step(query) <= first + seconds)
        .boxed()
        .toArray(Long[]::new);
  }

  private static long step(Map<String, String> query) {
    return Long.parseLong(query.getOrDefault("step", ""));
  }

  private static double number(Map<String, String> query, String name) {
    return Double.parseDouble(query.getOrDefault(name, ""));
  }

  @Test
  void isUnknownIfItHasSeveralResults() throws InterruptedException {
    GateReading two =
        ask(query -> new Answer(200, matrix(series(query, "1") + "," + series(query, "1"))));
    assertThat(two)
        .isEqualTo(
            new GateReading.Unknown("it has 2 results, not one: state min, avg or sum of them"));
  }

  @Test
  void isUnknownIfItIsNotANumberOrPartOfTheDataIsMissing() throws InterruptedException {
    assertThat(ask(query -> new Answer(200, matrix(series(query, "NaN")))))
        .isEqualTo(new GateReading.Unknown("its value is not a number (NaN)"));
    String warned = "{\"status\":\"success\",\"warnings\":[\"store gone\"],";
    GateReading partly =
        ask(
            query ->
                new Answer(
                    200, matrix(series(query, "1")).replace("{\"status\":\"success\",", warned)));
    assertThat(partly).isEqualTo(new GateReading.Unknown("Prometheus warns: store gone"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          400 | {"status":"error","errorType":"bad_data","error":"parse error"} | Prometheus says bad_data: parse error
          502 | <html>Bad Gateway</html> | Prometheus answered 502 with something that is no result: <html>Bad
          200 | '' | Prometheus answered 200 with something that is no result
          200 | {"status":"success"} | Prometheus answered 200 with something that is no result: {"status":"success"}
          200 | [] | Prometheus answered 200 with something
          200 | {"status":"success","data":{"resultType":"vector","result":[]}} | with something that is no result
          500 | {"status":"success","data":{"resultType":"matrix","result":[]}} | Prometheus answered 500 with
          200 | {"status":"success","data":{"resultType":"matrix","result":[{"values":[1]}]}} | with a value that is none: 1
          """)
  void isUnknownIfItAnswersAnythingElse(int status, String body, String why)
      throws InterruptedException {
    GateReading reading = ask(_ -> new Answer(status, body));
    assertThat(reading).isInstanceOf(GateReading.Unknown.class);
    assertThat(reading.toString()).contains(why);
  }

  @Test
  void isUnknownIfItIsAway() throws InterruptedException {
    server.close();
    assertThat(prometheus.ask(GATE, NOW).toString())
        .contains("Prometheus at " + server.address() + " does not answer (");
  }

  /** Headers and half a body, and then nothing: its gate was closed for ever by that. */
  @Test
  void isUnknownIfItsAnswerNeverEnds() throws Exception {
    try (ServerSocket half = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ExecutorService serving = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> hungUp = serving.submit(() -> answerByHalf(half));
      URI address = URI.create("http://127.0.0.1:" + half.getLocalPort());
      assertThat(new Prometheus(address, Duration.ofMillis(300)).ask(GATE, NOW).toString())
          .contains("does not answer (no whole answer within 300 ms)");
      assertThat(hungUp.get(10, TimeUnit.SECONDS)).as("the connection is given up").isEqualTo(-1);
    }
  }

  /** What is read once the client hung up: the end. */
  private static int answerByHalf(ServerSocket server) throws IOException {
    try (Socket client = server.accept()) {
      client
          .getOutputStream()
          .write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"status\":".getBytes(UTF_8));
      int read = 0;
      while (read >= 0) {
        read = client.getInputStream().read(new byte[1000]);
      }
      return read;
    }
  }
}
