package dev.drydock.lock.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * {@code make bench-locks}: taking hosts and giving them back by the public API of one server
 * process, against plain puts by etcd's own JSON gateway; both through the same HTTP client, on one
 * etcd with fsync on. No test: nothing is asserted of the figures.
 *
 * <p>Everything is measured in turn, round after round, and a ratio is that of its round, so that
 * whatever else the machine does falls on both sides; the median round is told.
 */
@Tag("stack")
@EnabledIfSystemProperty(named = "bench.locks", matches = "true")
final class LocksBench {
  /** Until all of what runs in each turn was compiled. */
  private static final int WARM_UPS = Integer.getInteger("bench.warmups", 8);

  private static final int ROUNDS = Integer.getInteger("bench.rounds", 5);
  private static final Duration SLICE = Duration.ofMillis(Integer.getInteger("bench.millis", 3000));
  private static final int CLIENTS = 64;
  private static final Duration START = Duration.ofSeconds(60);

  /** As large as one of our lock records. */
  private static final String VALUE =
      Base64.getEncoder().encodeToString("v".repeat(200).getBytes(UTF_8));

  private final List<Map<String, Load.Figures>> rounds = new ArrayList<>();
  private final HttpClient http = SoakClients.http();
  private URI etcd = URI.create("http://localhost");
  private URI server = URI.create("http://localhost");

  @Test
  void comparesWithPlainEtcd() throws Exception {
    Path data = Files.createDirectories(Path.of("target", "bench-etcd"));
    try (TestEtcd own = TestEtcd.startIn(data, "--max-txn-ops=4096")) {
      etcd = own.endpoint();
      Process process = start();
      try {
        awaitGrantor();
        System.out.println("data on " + Files.getFileStore(data).type() + ", fsync on");
        for (int i = 0; i < WARM_UPS; i++) {
          round();
        }
        rounds.clear();
        for (int i = 0; i < ROUNDS; i++) {
          round();
        }
        report();
      } finally {
        process.destroyForcibly();
      }
    } finally {
      http.close();
    }
  }

  /** A server process of its own, as in the soak; it ends with its standard input. */
  private Process start() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    server = URI.create("http://127.0.0.1:" + port);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "server",
                "process=s1",
                "endpoints=" + etcd,
                "root=/bench/",
                "port=" + port,
                "processes=1",
                "hosts=" + CLIENTS,
                "quiet=" + CLIENTS,
                "budget=0",
                "rebootSeconds=60",
                "grantorLeaseSeconds=10",
                "passedSeconds=1800",
                "marginSeconds=15",
                "history=" + Path.of("target", "bench-server.jsonl")));
    return new ProcessBuilder(command)
        .redirectOutput(Path.of("target", "bench-server.log").toFile())
        .redirectErrorStream(true)
        .start();
  }

  /** Until a pair goes through. */
  private void awaitGrantor() throws Exception {
    long end = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        pair(0);
        return;
      } catch (IOException | IllegalStateException notYet) {
        if (System.nanoTime() - end > 0) {
          throw notYet;
        }
        Calls.pause(200);
      }
    }
  }

  private void round() {
    Map<String, Load.Figures> figures = new TreeMap<>();
    rounds.add(figures);
    measure("put 64", CLIENTS, (client, turn) -> put(client));
    measure("pair 64", CLIENTS, (client, turn) -> pair(client));
    measure("put lone", 1, (client, turn) -> put(client));
    measure("pair lone", 1, (client, turn) -> pair(client));
  }

  private void measure(String name, int clients, Load.Action action) {
    Load.Figures figures = Load.run(clients, SLICE, action);
    rounds.getLast().put(name, figures);
    System.out.printf(
        Locale.ROOT,
        "%-10s %,9.0f /s   p50 %7.2f ms   p99 %7.2f ms%n",
        name,
        figures.perSecond(),
        figures.p50Millis(),
        figures.p99Millis());
  }

  private void put(int client) throws IOException, InterruptedException {
    String key = Base64.getEncoder().encodeToString(("/raw/" + client).getBytes(UTF_8));
    HttpRequest put =
        HttpRequest.newBuilder(etcd.resolve("/v3/kv/put"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(Json.writeTree(Map.of("key", key, "value", VALUE))))
            .build();
    expect(200, http.send(put, BodyHandlers.ofString()));
  }

  /** Takes a host of its own and gives it back. */
  private void pair(int client) throws IOException, InterruptedException {
    String host = "h%02d".formatted(client + 1);
    String body = Json.writeTree(Map.of("hosts", List.of(host), "reason", "benchmark"));
    HttpResponse<String> taken =
        http.send(
            api("/api/locks").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    expect(201, taken);
    String id = taken.headers().firstValue("x-restli-id").orElseThrow();
    // Only who was granted the host has something to give back: the others would stop here.
    HttpResponse<String> released =
        http.send(api("/api/locks/" + id).DELETE().build(), BodyHandlers.ofString());
    expect(204, released);
  }

  private HttpRequest.Builder api(String path) {
    return HttpRequest.newBuilder(server.resolve(path))
        .header("X-RestLi-Protocol-Version", "2.0.0")
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer c1");
  }

  private static void expect(int status, HttpResponse<String> answer) {
    if (answer.statusCode() != status) {
      throw new IllegalStateException(answer.statusCode() + " " + answer.body());
    }
  }

  private void report() throws IOException {
    String json =
        String.format(
            Locale.ROOT,
            "{\"bench\":\"locks\",\"lone_pair_ms\":%.2f,\"lone_put_ms\":%.2f,\"pairs_per_s_64\":%.0f,"
                + "\"puts_per_s_64\":%.0f,\"pair_over_put_64\":%.3f,\"pair_p99_ms_64\":%.1f}",
            median(round -> of(round, "pair lone").p50Millis()),
            median(round -> of(round, "put lone").p50Millis()),
            median(round -> of(round, "pair 64").perSecond()),
            median(round -> of(round, "put 64").perSecond()),
            median(round -> of(round, "pair 64").perSecond() / of(round, "put 64").perSecond()),
            median(round -> of(round, "pair 64").p99Millis()));
    System.out.println(json);
    Files.writeString(Path.of("target", "bench-locks.json"), json + "\n");
  }

  private double median(ToDoubleFunction<Map<String, Load.Figures>> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static Load.Figures of(Map<String, Load.Figures> round, String name) {
    Load.Figures found = round.get(name);
    if (found == null) {
      throw new IllegalStateException("'" + name + "' was not measured");
    }
    return found;
  }
}
