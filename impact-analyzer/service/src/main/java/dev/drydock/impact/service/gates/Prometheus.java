package dev.drydock.impact.service.gates;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.GateReading;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks a Prometheus, or whatever speaks its HTTP API, about a gate: whether the comparison had its
 * one result at every step of the time it has to last. What it says is never believed further than
 * it goes: an error, a warning (part of the data may be missing), several results or something that
 * is no answer are unknown. Safe for use by many threads.
 */
final class Prometheus {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** A short time is looked at in so many steps. */
  private static final int STEPS_MIN = 20;

  private static final long STEP_SECONDS_MIN = 1;

  /** About as often as Prometheus itself looks: a longer step would skip what it saw. */
  private static final long STEP_SECONDS_MAX = 15;

  /** More a Prometheus does not answer at once; a longer time has longer steps. */
  private static final long STEPS_MAX = 11_000;

  private static final int SAID_MAX = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI address;
  private final Duration patience;
  private final HttpClient client =
      HttpClient.newBuilder()
          .proxy(HttpClient.Builder.NO_PROXY)
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  /**
   * One server.
   *
   * @param address its root, such as {@code http://prometheus:9090}
   */
  Prometheus(URI address) {
    this(address, PATIENCE);
  }

  /** One server that has to have answered after {@code patience}. */
  Prometheus(URI address, Duration patience) {
    this.address = address;
    this.patience = patience;
  }

  /** What it says of the gate at {@code now}; whatever goes wrong is an unknown. */
  GateReading ask(Gate gate, Instant now) throws InterruptedException {
    CompletableFuture<HttpResponse<String>> asked =
        client.sendAsync(request(gate, now), HttpResponse.BodyHandlers.ofString());
    try {
      // A request's own time-out ends with the headers; the body may never end.
      HttpResponse<String> answer = asked.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return read(gate, now, answer.statusCode(), answer.body());
    } catch (ExecutionException failed) {
      Throwable away = failed.getCause() == null ? failed : failed.getCause();
      return silent(away.getMessage() == null ? away.toString() : away.getMessage());
    } catch (TimeoutException late) {
      return silent("no whole answer within " + patience.toMillis() + " ms");
    } finally {
      asked.cancel(true);
    }
  }

  private GateReading silent(String why) {
    return new GateReading.Unknown("Prometheus at %s does not answer (%s)".formatted(address, why));
  }

  private HttpRequest request(Gate gate, Instant now) {
    String form =
        "query=%s&start=%s&end=%s&step=%d"
            .formatted(
                URLEncoder.encode(gate.promql(), StandardCharsets.UTF_8),
                seconds(first(gate, now)),
                seconds(now),
                step(gate));
    return HttpRequest.newBuilder(URI.create(address + "/api/v1/query_range"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form))
        .build();
  }

  private static String seconds(Instant at) {
    return "%d.%03d".formatted(at.getEpochSecond(), at.getNano() / 1_000_000);
  }

  private static long step(Gate gate) {
    long seconds = gate.lasting().toSeconds();
    long step = Math.clamp(seconds / STEPS_MIN, STEP_SECONDS_MIN, STEP_SECONDS_MAX);
    return Math.max(step, Math.ceilDiv(seconds, STEPS_MAX));
  }

  private static long stepCount(Gate gate) {
    return Math.ceilDiv(gate.lasting().toSeconds(), step(gate));
  }

  /** No later than it has to last, so that the last step is now. */
  private static Instant first(Gate gate, Instant now) {
    return now.minusSeconds(stepCount(gate) * step(gate));
  }

  private static GateReading read(Gate gate, Instant now, int status, String body) {
    JsonNode answer;
    try {
      answer = JSON.readTree(body);
    } catch (JsonProcessingException garbage) {
      return garbage(status, body);
    }
    if (answer.path("status").asText().equals("error")) {
      return new GateReading.Unknown(
          "Prometheus says %s: %s"
              .formatted(answer.path("errorType").asText(), cut(answer.path("error").asText())));
    }
    JsonNode data = answer.path("data");
    if (status != 200
        || !answer.path("status").asText().equals("success")
        || !data.path("resultType").asText().equals("matrix")
        || !data.path("result").isArray()) {
      return garbage(status, body);
    }
    if (!answer.path("warnings").isEmpty()) {
      return new GateReading.Unknown(
          "Prometheus warns: " + cut(answer.path("warnings").path(0).asText()));
    }
    JsonNode results = data.path("result");
    return results.size() > 1
        ? new GateReading.Unknown(
            "it has %d results, not one: state min, avg or sum of them".formatted(results.size()))
        : steps(gate, now, results.path(0).path("values"));
  }

  /**
   * A comparison has a value where it is true and none where it is not.
   *
   * <p>Front ends that keep answers (of Thanos, VictoriaMetrics, Mimir) move start and end back to
   * multiples of the step, so that all points come earlier by the same part of one step: these are
   * ours. They may end one step later than asked for, never earlier.
   */
  private static GateReading steps(Gate gate, Instant now, JsonNode values) {
    Instant due = first(gate, now);
    long seen = 0;
    for (JsonNode value : values) {
      if (!value.path(0).isNumber() || !value.path(1).isTextual()) {
        return new GateReading.Unknown("Prometheus answered with a value that is none: " + value);
      }
      if (value.path(1).asText().equals("NaN")) {
        return new GateReading.Unknown("its value is not a number (NaN)");
      }
      Instant at = Instant.ofEpochMilli(Math.round(value.path(0).asDouble() * 1000));
      if (seen == 0 && at.isBefore(due) && at.plusSeconds(step(gate)).isAfter(due)) {
        due = at;
      }
      if (Math.abs(at.toEpochMilli() - due.toEpochMilli()) > 1) {
        return new GateReading.Fails(now, "was not true at " + due);
      }
      due = due.plusSeconds(step(gate));
      seen++;
    }
    if (seen == 0) {
      return new GateReading.Fails(now, "is not true");
    }
    return seen > stepCount(gate)
        ? new GateReading.Holds(now)
        : new GateReading.Fails(now, "was not true at " + due);
  }

  private static GateReading garbage(int status, String body) {
    return new GateReading.Unknown(
        "Prometheus answered %d with something that is no result: %s"
            .formatted(status, cut(body.replaceAll("\\s+", " "))));
  }

  private static String cut(String text) {
    return text.length() <= SAID_MAX ? text : text.substring(0, SAID_MAX) + "…";
  }
}
