package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Reads {@code {"application", "host", "ready", "open"}} from the health page of every instance at
 * once, and {@code "bootId"} where it is there.
 */
final class HttpProber implements Prober, AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final int BODY_LIMIT_BYTES = 64 << 10;

  private final Supplier<Allocation> allocation;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  HttpProber(Supplier<Allocation> allocation) {
    this.allocation = allocation;
  }

  @Override
  public Map<FixedInstance, Health> probe(Collection<FixedInstance> instances)
      throws InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    Map<String, String> addresses =
        allocation.get().hosts().stream()
            .collect(Collectors.toMap(FixedHost::name, FixedHost::address));
    Map<FixedInstance, CompletableFuture<HttpResponse<byte[]>>> asked = new LinkedHashMap<>();
    for (FixedInstance instance : instances) {
      asked.put(instance, ask(instance, addresses.getOrDefault(instance.host(), "")));
    }
    Map<FixedInstance, Health> answers = new LinkedHashMap<>();
    for (var entry : asked.entrySet()) {
      answers.put(entry.getKey(), answer(entry.getKey(), entry.getValue(), end));
    }
    return answers;
  }

  /** One that cannot be asked at all is told like one that does not answer, and stops no other. */
  private CompletableFuture<HttpResponse<byte[]>> ask(FixedInstance instance, String address) {
    try {
      URI uri = Addresses.http(address, instance.port(), instance.healthPath());
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
      return http.sendAsync(
          request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), BODY_LIMIT_BYTES));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException("it cannot be asked: " + e.getMessage(), e));
    }
  }

  private static Health answer(
      FixedInstance instance, CompletableFuture<HttpResponse<byte[]>> asked, long end)
      throws InterruptedException {
    try {
      HttpResponse<byte[]> response =
          asked.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      return judge(
          instance, response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
    } catch (TimeoutException e) {
      asked.cancel(true);
      return new Health.Silent("no answer within " + TIMEOUT.toSeconds() + " s");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      String why =
          cause == null || cause.getMessage() == null ? String.valueOf(cause) : cause.getMessage();
      // A refused connection is an answer of the host: nothing listens. A time-out is none.
      boolean refused =
          cause instanceof ConnectException && cause.getClass() == ConnectException.class;
      return refused
          ? new Health.Absent("nothing listens on port " + instance.port())
          : new Health.Silent(why);
    }
  }

  static Health judge(FixedInstance instance, int status, String body) {
    Map<String, Object> fields;
    try {
      fields = Json.readTree(body);
    } catch (InvalidRecordException e) {
      return new Health.NotReady(0, "its health page is not JSON (status " + status + ")");
    }
    int open = fields.get("open") instanceof Number number ? number.intValue() : -1;
    String is = fields.get("application") + "@" + fields.get("host");
    if (!is.equals(instance.application() + "@" + instance.host())) {
      return new Health.NotReady(open, is + " answers in its place");
    }
    if (open < 0) {
      return new Health.NotReady(0, "its health page does not say how many requests are open");
    }
    boolean ready = status == 200 && Boolean.TRUE.equals(fields.get("ready"));
    return ready
        ? new Health.Ready(open, fields.get("bootId") instanceof String id ? id : null)
        : new Health.NotReady(open, "says it is not ready (status " + status + ")");
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
