package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The hosts that people have, against a query that says the same plainly but reads all that was
 * ever told of locks.
 */
@Tag("stack")
class KeptByPeopleTest {
  private static final int RUNS = 50;
  private static final int ENTRIES = 30;
  private static final int BATCHES = 5_000;

  private static final String PLAIN =
      """
      SELECT * FROM (
        SELECT DISTINCT ON (x.host) h.lock_id, x.host, h.hosts, h.what, h.kind, h.holder,
               h.reason, h.rollout
        FROM lock_history h CROSS JOIN LATERAL unnest(h.hosts) AS x(host)
        WHERE h.what IN ('Granted', 'Quarantined', 'Ended')
        ORDER BY x.host, h.epoch DESC, h.revision DESC, h.ordinal DESC) last
      WHERE what = 'Quarantined' OR what = 'Granted' AND kind IN ('FleetLock', 'Maintenance')
      """;

  private static TestDatabase database;
  private static Fleet fleet;

  @BeforeAll
  static void open() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void empty() {
    fleet.execute("TRUNCATE lock_history");
  }

  @Test
  void areThoseThatAreFoundByLookingAtAll() {
    long base = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", RUNS);
    LongStream.range(base, base + runs)
        .forEach(
            seed -> {
              history(seed);
              assertThat(kept(ReconciledRows.KEPT_BY_PEOPLE))
                  .as("repeat with -Dprop.seed=%d -Dprop.runs=1", seed)
                  .isEqualTo(kept(PLAIN));
            });
  }

  /** The control. */
  @Test
  void aQueryThatTakesALockForEndedBeforeItsLastHostWasLetGoDiffers() {
    String right = " AND x.host = ANY(e.hosts)";
    assertThat(ReconciledRows.KEPT_BY_PEOPLE).contains(right);
    String wrong = ReconciledRows.KEPT_BY_PEOPLE.replace(right, "");
    assertThat(LongStream.range(0, RUNS).anyMatch(seed -> differs(seed, wrong))).isTrue();
  }

  private static boolean differs(long seed, String sql) {
    history(seed);
    return !kept(sql).equals(kept(PLAIN));
  }

  /** Few locks on few hosts, so that all that can meet does. */
  private static void history(long seed) {
    Random random = new Random(seed);
    StringBuilder sql = new StringBuilder("TRUNCATE lock_history;");
    for (int i = 0; i < ENTRIES; i++) {
      int first = random.nextInt(6);
      String hosts = random.nextBoolean() ? "h" + first : "h%d,h%d".formatted(first, first + 1);
      sql.append(
          """
          INSERT INTO lock_history
            (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
          VALUES (%d, %d, %d, '%s', 'l%d', '%s', '{%s}', 'sre', 'sre', '', 1)
          ON CONFLICT DO NOTHING;
          """
              .formatted(
                  1 + random.nextInt(2),
                  random.nextInt(20),
                  random.nextInt(2),
                  one(random, "Queued", "Granted", "Checked", "Quarantined", "Lapsed", "Ended"),
                  random.nextInt(5),
                  one(random, "Batch", "Quarantine", "FleetLock", "Maintenance", "Session"),
                  hosts));
    }
    fleet.execute(sql.toString());
  }

  private static String one(Random random, String... words) {
    return words[random.nextInt(words.length)];
  }

  private static List<Map<String, Object>> kept(String sql) {
    return database
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT lock_id, host, CAST(hosts AS text) AS hosts, what, kind FROM (%s) k ORDER BY host"
                            .formatted(sql))
                    .mapToMap()
                    .list());
  }

  /** Batches of years, and a fleet of which one host is with people. */
  @Test
  void noHistoryIsReadOfHostsThatNobodyHas() {
    fleet.execute(
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        SELECT 1, n * 10 + o, 0, w, 'g' || n, 'Batch', ARRAY['w' || n %% 500], 'sre', 'sre', '', 1
        FROM generate_series(1, %1$d) n,
             unnest(ARRAY['Queued', 'Granted', 'Checked', 'Ended']) WITH ORDINALITY AS e(w, o);
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        VALUES (1, 1000000, 0, 'Quarantined', 'g7', 'Quarantine', '{w7}', 'sre', 'sre', '', 1)
        """
            .formatted(BATCHES));
    fleet.execute("ANALYZE lock_history");
    assertThat(rows(ReconciledRows.KEPT_BY_PEOPLE)).isLessThan(BATCHES / 20);
    assertThat(rows(PLAIN)).as("the control: it reads all").isGreaterThan(4 * BATCHES);
    assertThat(kept(ReconciledRows.KEPT_BY_PEOPLE)).hasSize(1);
  }

  /** How many rows of the history the server reads for it. */
  private static long rows(String sql) {
    String plan = fleet.value("EXPLAIN (ANALYZE, FORMAT JSON) " + sql);
    return read(Json.readTree("{\"Plans\": " + plan + "}"));
  }

  private static long read(Object node) {
    return switch (node) {
      case Map<?, ?> plan -> {
        long own =
            "lock_history".equals(plan.get("Relation Name"))
                ? (number(plan, "Actual Rows")
                        + number(plan, "Rows Removed by Filter")
                        + number(plan, "Rows Removed by Index Recheck"))
                    * number(plan, "Actual Loops")
                : 0;
        yield own + plan.values().stream().mapToLong(KeptByPeopleTest::read).sum();
      }
      case List<?> plans -> plans.stream().mapToLong(KeptByPeopleTest::read).sum();
      default -> 0;
    };
  }

  private static long number(Map<?, ?> plan, String key) {
    return plan.get(key) instanceof Number number ? number.longValue() : 0;
  }
}
