package dev.drydock.impact.service.gates;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Answers range queries in the format of Prometheus' HTTP API, with what a test makes it say. */
public final class SmallPrometheus implements AutoCloseable {
  private final HttpServer server;
  private volatile Said says = _ -> new Answer(200, matrix(""));

  /** What it answers to a query with these parameters. */
  public interface Said {
    Answer to(Map<String, String> query);
  }

  /** Status and body. */
  public record Answer(int status, String body) {}

  /** One that runs. */
  public SmallPrometheus() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException taken) {
      throw new UncheckedIOException(taken);
    }
    server.createContext(
        "/api/v1/query_range",
        call -> {
          String form = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          Map<String, String> query = new HashMap<>();
          Arrays.stream(form.split("&"))
              .map(pair -> pair.split("=", 2))
              .forEach(
                  pair -> query.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
          Answer answer = says.to(query);
          byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
          call.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
          try (var out = call.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** From now on. */
  public void says(Said said) {
    says = said;
  }

  /** One series with a value at every step but some. */
  public static String series(Map<String, String> query, String value, Long... without) {
    double start = Double.parseDouble(query.getOrDefault("start", ""));
    double end = Double.parseDouble(query.getOrDefault("end", ""));
    long step = Long.parseLong(query.getOrDefault("step", ""));
    return LongStream.rangeClosed(0, (long) ((end - start + 0.0005) / step))
        .filter(n -> !Arrays.asList(without).contains(n))
        .mapToObj(n -> "[%.3f,\"%s\"]".formatted(start + n * step, value))
        .collect(Collectors.joining(",", "{\"metric\":{},\"values\":[", "]}"));
  }

  /** A successful answer with these series. */
  public static String matrix(String series) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
        + series
        + "]}}";
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
