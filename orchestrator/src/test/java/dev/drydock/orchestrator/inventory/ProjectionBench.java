package dev.drydock.orchestrator.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.platform.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code make bench-projection}: what {@code fields=name,phase} saves on a page of the whole fleet,
 * over HTTP from PostgreSQL. No test: nothing is asserted of the times.
 */
@Tag("stack")
final class ProjectionBench {
  private static final int HOSTS = Integer.getInteger("bench.hosts", 10_000);
  private static final int INSTANCES_PER_HOST = 3;
  private static final int UNDER_WAY = 500;
  private static final int WARM_UPS = 5;
  private static final int RUNS = 21;

  private static final String WHOLE = "/api/hosts?count=" + HOSTS;
  private static final String WARM_UP = "/api/hosts?count=500";
  private static final String PART = WHOLE + "&fields=name,phase";

  /** Medians over the runs. */
  private record Figures(long bytes, double millis) {}

  @Test
  void comparesAWholePageWithTwoFieldsOfIt() {
    LockTable none = new LockTable(1, Map.of(), List.of(), Map.of(), Set.of());
    try (TestDatabase store = TestDatabase.create();
        InventoryService inventoryService =
            new InventoryService(store.database(), new Metrics(), () -> none);
        TestApi api = TestApi.start(inventoryService.resources())) {
      fill(store);
      List<Answer> answers = new ArrayList<>();
      for (int run = 0; run < WARM_UPS * 10; run++) {
        millis(api, WARM_UP, answers);
      }
      List<Double> whole = new ArrayList<>();
      List<Double> part = new ArrayList<>();
      for (int run = -WARM_UPS; run < RUNS; run++) {
        // In turn, so that whatever else this machine does falls on both.
        double wholeMillis = millis(api, WHOLE, answers);
        double partMillis = millis(api, PART, answers);
        if (run >= 0) {
          whole.add(wholeMillis);
          part.add(partMillis);
        }
      }
      Figures all = new Figures(bytes(answers.getFirst()), median(whole));
      Figures some = new Figures(bytes(answers.getLast()), median(part));
      print(all, some);
    }
  }

  private static void fill(TestDatabase store) {
    Fleet fleet = new Fleet(store.jdbi());
    fleet.rollout("r1");
    fleet.crowd("r1", "host-", 1, HOSTS, 1);
    fleet.asIf.at("Update");
    fleet.asIf.are(
        HostUpgradeState.InProgress,
        IntStream.rangeClosed(1, UNDER_WAY).mapToObj(n -> "host-" + n).toArray(String[]::new));
    fleet.execute(
        """
        UPDATE hosts SET release = '1', hardware_class = 'gen' || length(name) % 4,
          labels = jsonb_build_object('rack', 'r' || right(name, 2), 'os-family', 'apt');
        INSERT INTO instances (id, application, host, zone, health, source, mark, observed_at)
        SELECT a || '@' || h.name, a, h.name, 'z' || right(h.name, 1), 'Healthy', 'static', 1, now()
        FROM hosts h, unnest(ARRAY['web', 'search', 'cache']) a LIMIT HOSTS * INSTANCES;
        ANALYZE
        """
            .replace("INSTANCES", String.valueOf(INSTANCES_PER_HOST))
            .replace("HOSTS", String.valueOf(HOSTS)));
  }

  private static double millis(TestApi api, String path, List<Answer> answers) {
    long begin = System.nanoTime();
    Answer answer = api.call("viewer", "GET", path, "");
    double millis = (System.nanoTime() - begin) / 1e6;
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"total\":" + HOSTS);
    answers.add(answer);
    if (answers.size() > 2) {
      answers.remove(0);
    }
    return millis;
  }

  private static long bytes(Answer answer) {
    return answer.body().getBytes(StandardCharsets.UTF_8).length;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private static void print(Figures whole, Figures part) {
    System.out.printf(
        Locale.ROOT,
        "%d hosts with %d instances each, median of %d:%n"
            + "  whole records          %,12d bytes %9.1f ms%n"
            + "  fields=name,phase      %,12d bytes %9.1f ms%n"
            + "  ratio                  %12.1f       %9.1f%n",
        HOSTS,
        INSTANCES_PER_HOST,
        RUNS,
        whole.bytes(),
        whole.millis(),
        part.bytes(),
        part.millis(),
        (double) whole.bytes() / part.bytes(),
        whole.millis() / part.millis());
  }
}
