package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code make bench-orchestrator}: host upgrades per second through the whole product against
 * workflows of Temporal with as many activities and nothing else. The real program in a process of
 * its own, with its stores; consumers answer at once, over HTTP. No test: of the figures nothing is
 * asserted, only that both did as much.
 *
 * <p>Everything is measured in turn, round after round, and a ratio is that of its round, so that
 * whatever else the machine does falls on both sides; the median round is told.
 */
@Tag("stack")
@EnabledIfSystemProperty(named = "bench.orchestrator", matches = "true")
final class OrchestratorBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 5);
  private static final int HOSTS = Integer.getInteger("bench.hosts", 300);
  private static final int AT_ONCE = 64;
  private static final int ZONE = 10;
  private static final int ZONES_AT_ONCE = 12;
  private static final int MANY = Integer.getInteger("bench.submitted", 300_000);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Two compilers on few processors need minutes. */
  private static final int WARM_UPS = 2;

  /** Of one round, each per second. */
  private record Round(double bare, double hosts, double batched) {
    double ratio() {
      return hosts / bare;
    }
  }

  private final List<Round> rounds = new ArrayList<>();
  private int releases;

  @Test
  void comparesWithBareWorkflows(@TempDir Path folder) throws Exception {
    try (TestServer server = new TestServer(folder).forLong();
        BareWorkflows bare = new BareWorkflows(server.temporal())) {
      server.startUntilReady();
      Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
      try (DrydockClient client =
              new DrydockClient(
                  ClientConfig.of(server.address(""), token).withCallTimeout(PATIENCE));
          BenchSite site = new BenchSite(client)) {
        List<String> alone = hosts("alone", HOSTS);
        List<String> zoned = hosts("zoned", HOSTS);
        alone.forEach(host -> site.put("alone", host, host));
        zoned.forEach(host -> site.put("zoned", host, zone(host)));
        client.applyPolicy(policy("alone", "{maxUnavailable: " + AT_ONCE + "}", ""));
        client.applyPolicy(
            policy(
                "zoned",
                "{maxUnavailable: " + ZONE * ZONES_AT_ONCE + "}",
                "  batching: {by: faultZone, mode: AllOrNone}\n"));
        client.applyPolicy(policy("many", "{maxUnavailable: 10}", ""));
        site.start();
        for (int i = 1 - WARM_UPS; i <= ROUNDS; i++) {
          Round round =
              new Round(
                  perSecond(() -> bare.run(HOSTS, AT_ONCE)),
                  perSecond(() -> upgrade(site, alone)),
                  perSecond(() -> upgrade(site, zoned)));
          System.out.printf(Locale.ROOT, "%s %s%n", i > 0 ? "round " + i : "warm-up", round);
          if (i > 0) {
            rounds.add(round);
          }
        }
        List<String> many = hosts("many", MANY);
        site.reportOnce("elsewhere", "many", many);
        long began = System.nanoTime();
        submit(site, many);
        report((System.nanoTime() - began) / 1e9);
      }
    }
  }

  private static List<String> hosts(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> "%s%06d".formatted(name, i)).toList();
  }

  private static String zone(String host) {
    return "z" + host.substring(0, host.length() - 1);
  }

  private static String policy(String application, String capacity, String more) {
    return """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %s, team: t}
        spec:
          applications: [%s]
          capacity: [%s]
        %s"""
        .formatted(application, application, capacity, more);
  }

  private String submit(BenchSite site, List<String> hosts) {
    releases++;
    return site.submit("2." + releases, hosts);
  }

  /** The bare workflows are the measure only as long as a host has as many jobs. */
  private void upgrade(BenchSite site, List<String> hosts) {
    site.untilUpgraded(submit(site, hosts));
    assertThat(site.jobsDone()).isEqualTo(hosts.size() * BareWorkflows.JOBS);
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private static double perSecond(Work work) throws InterruptedException {
    long began = System.nanoTime();
    work.run();
    return HOSTS / ((System.nanoTime() - began) / 1e9);
  }

  private void report(double submitSeconds) throws IOException {
    String json =
        String.format(
            Locale.ROOT,
            "{\"bench\":\"orchestrator\",\"hosts_per_s\":%.1f,\"ratio\":%.2f,\"batched_hosts_per_s\":%.1f,"
                + "\"submit_300k_s\":%.1f,\"bare_per_s\":%.1f}",
            median(Round::hosts),
            median(Round::ratio),
            median(Round::batched),
            submitSeconds,
            median(Round::bare));
    System.out.println(json);
    Files.writeString(Path.of("target", "bench-orchestrator.json"), json + "\n");
  }

  private double median(ToDoubleFunction<Round> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
