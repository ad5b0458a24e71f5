package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the grantor is offered, against a query that says the same plainly but reads all that wait.
 * Only the order of those that follow the last look, and of those deep in the queue, differs: the
 * plain one counts all before them, the other those it offers.
 */
@Tag("stack")
class PendingBatchesTest {
  /** Of {@code make test}; {@code make test-full} makes more of them. */
  private static final int RUNS = 20;

  /** In how many a planted bug has to show. */
  private static final int TRIES = 300;

  private static final int MANY = 1_000;

  private static final String PLAIN =
      """
      WITH batches AS (
        SELECT u.rollout, u.batch, r.requester, r.reason, r.number,
               array_position(ARRAY['Low', 'Normal', 'High'], r.priority) AS priority,
               array_agg(u.host ORDER BY u.position) AS hosts,
               min(u.seniority_revision) AS seniority_revision,
               min(u.seniority_index) AS seniority_index
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
        WHERE u.state IN ('Pending', 'InProgress') AND r.state = 'Running'
        GROUP BY u.rollout, r.number, r.requester, r.reason, r.priority, u.batch
        HAVING bool_and(
      """
          + PendingBatches.FREE
          + """
        )),
      in_flight AS (
        SELECT rollout, count(*) AS hosts FROM host_upgrades WHERE state = 'InProgress'
        GROUP BY rollout),
      free AS (
        SELECT b.*, t.ticket,
               b.seniority_revision IS NOT NULL
                 OR t.ticket IN (SELECT unnest(CAST(:queued AS text[]))) AS placed,
               COALESCE(f.hosts, 0) + sum(cardinality(b.hosts)) OVER (
                 PARTITION BY b.rollout, b.seniority_revision IS NULL ORDER BY b.batch) AS share
        FROM batches b LEFT JOIN in_flight f ON f.rollout = b.rollout
        CROSS JOIN LATERAL (
          SELECT b.rollout || '.' || b.hosts[1] || CASE cardinality(b.hosts)
                   WHEN 1 THEN '' ELSE '+' || cardinality(b.hosts) - 1 END AS ticket) t),
      foremost AS (
        SELECT rollout, batch FROM free WHERE NOT placed
        ORDER BY share, number, batch LIMIT :foremost),
      following AS (
        SELECT rollout, batch, row_number() OVER (ORDER BY past, batch, number) AS turn FROM (
          SELECT rollout, batch, number, (batch, number) <= (:batch, :number) AS past
          FROM free
          WHERE NOT placed AND (rollout, batch) NOT IN (SELECT rollout, batch FROM foremost)
          ORDER BY past, batch, number LIMIT :following) f)
      SELECT free.*, COALESCE(following.turn, 0) AS turn FROM free
      LEFT JOIN foremost USING (rollout, batch) LEFT JOIN following USING (rollout, batch)
      WHERE placed OR foremost.rollout IS NOT NULL OR following.rollout IS NOT NULL
      ORDER BY seniority_revision NULLS LAST, seniority_index, priority DESC, share, number, batch
      """;

  /** The same of those that passed their preflights. */
  private static final String PLAIN_READY =
      PLAIN.replace(PendingBatches.FREE, PendingBatches.READY);

  private static TestDatabase database;

  @BeforeAll
  static void open() {
    database = new TestDatabase();
    new Fleet(database.jdbi());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void empty() {
    execute("TRUNCATE rollouts, hosts RESTART IDENTITY CASCADE");
  }

  /** What is asked, and where the last look ended. */
  private record Look(
      Collection<String> queued,
      int foremost,
      int following,
      int batch,
      long number,
      boolean more) {
    static Look first(int foremost, int following) {
      return new Look(List.of(), foremost, following, -1, 0, true);
    }

    /** The same, after a look that found room for all. */
    Look afterAll() {
      return new Look(queued, foremost, following, batch, number, false);
    }

    static Look random(Random random, List<Offer> all) {
      List<String> queued = new ArrayList<>(List.of("foreign", "r1.", "r1.h1+9", "x.h2", "r2.h3"));
      all.stream().filter(_ -> random.nextInt(5) == 0).map(Offer::ticket).forEach(queued::add);
      return new Look(
          queued,
          random.nextInt(6),
          random.nextInt(6),
          random.nextInt(14) - 1,
          random.nextInt(6),
          true);
    }
  }

  /** What both queries have to agree upon. */
  private record Offer(
      String ticket,
      List<String> hosts,
      String requester,
      String reason,
      String seniority,
      long number,
      int batch,
      long turn) {

    boolean hasAge() {
      return !seniority.equals("null.null");
    }
  }

  @Test
  void offersWhatIsOfferedByLookingAtAll() {
    long base = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", RUNS);
    LongStream.range(base, base + runs)
        .forEach(seed -> compare(seed, PendingBatches.OFFERED, PLAIN));
  }

  @Test
  void offersOnlyBatchesOfWhichAllPassedTheirPreflights() {
    long base = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", RUNS);
    LongStream.range(base, base + runs)
        .forEach(seed -> compare(seed, PendingBatches.OFFERED_READY, PLAIN_READY));
  }

  /** A host that was never asked is neither ready nor not ready, for a careless query. */
  @Test
  void noticesABatchOfWhichOneHostWasNotAsked() {
    String careless = PendingBatches.OFFERED_READY.replace("u.ready_until IS NOT NULL AND", "");
    assertThat(careless).isNotEqualTo(PendingBatches.OFFERED_READY);
    assertThat(LongStream.range(0, TRIES).anyMatch(seed -> differs(seed, careless, PLAIN_READY)))
        .isTrue();
  }

  @Test
  void noticesWhoIsOfferedWithoutTheRestOfItsBatch() {
    control(
        "HAVING bool_and(" + PendingBatches.FREE + ")",
        "HAVING bool_or(" + PendingBatches.FREE + ")");
  }

  @Test
  void noticesThatBatchesWhichCannotGoTakeTheRoomOfOthers() {
    control("CAST(whole.free AS int)", "1");
  }

  @Test
  void noticesThatThoseWithAPlaceTakeTheRoomOfOthers() {
    control("+ (SELECT count(*) FROM queued)", "");
  }

  @Test
  void noticesThatWhoStandsInTheQueueIsMissing() {
    control("UNION TABLE queued", "");
  }

  @Test
  void noticesThatWhoHasAnAgeIsMissing() {
    control("TABLE aged UNION", "");
  }

  @Test
  void noticesALookThatBeginsOneBatchTooLate() {
    control("THEN :batch - 1 ELSE :batch END", "THEN :batch ELSE :batch + 1 END");
  }

  /** The query with a bug planted differs for some seed. */
  private static void control(String right, String wrong) {
    assertThat(PendingBatches.OFFERED).contains(right);
    String planted = PendingBatches.OFFERED.replace(right, wrong);
    assertThat(LongStream.range(0, TRIES).anyMatch(seed -> differs(seed, planted, PLAIN))).isTrue();
  }

  private static boolean differs(long seed, String sql, String plainly) {
    try {
      compare(seed, sql, plainly);
      return false;
    } catch (AssertionError difference) {
      return true;
    }
  }

  private static void compare(long seed, String sql, String plainly) {
    Random random = new Random(seed);
    String repeat = "repeat with -Dprop.seed=%d -Dprop.runs=1".formatted(seed);
    database
        .jdbi()
        .useTransaction(
            handle -> {
              handle.execute(state(random));
              Look everything = Look.first(MANY, MANY);
              List<Offer> all = offers(handle, plainly, everything);
              assertThat(offers(handle, sql, everything)).as(repeat).isEqualTo(all);
              for (int i = 0; i < 5; i++) {
                Look look = Look.random(random, all);
                List<Offer> plain = offers(handle, plainly, look);
                List<Offer> offered = offers(handle, sql, look);
                assertThat(offered)
                    .as("%s: %s", repeat, look)
                    .containsExactlyInAnyOrderElementsOf(plain);
                assertThat(inOrder(offered, look))
                    .as("%s: in order, %s", repeat, look)
                    .isEqualTo(inOrder(plain, look));
                List<Offer> once = offers(handle, sql, look.afterAll());
                assertThat(once)
                    .as("%s: as many after a look at all, %s", repeat, look)
                    .hasSameSizeAs(plain);
                if (plain.size() < look.foremost() + look.following()) {
                  assertThat(once)
                      .as("%s: all that fit, %s", repeat, look)
                      .containsExactlyInAnyOrderElementsOf(plain);
                }
              }
              handle.rollback();
            });
  }

  /** Those with an age and the foremost. */
  private static List<Offer> inOrder(List<Offer> offers, Look look) {
    return offers.stream()
        .filter(
            offer ->
                offer.hasAge() || (offer.turn() == 0 && !look.queued().contains(offer.ticket())))
        .toList();
  }

  private static List<Offer> offers(Handle handle, String sql, Look look) {
    try (Query query = asked(handle, sql, look)) {
      return query
          .map(
              (row, _) ->
                  new Offer(
                      row.getString("ticket"),
                      List.of((String[]) row.getArray("hosts").getArray()),
                      row.getString("requester"),
                      row.getString("reason"),
                      row.getString("seniority_revision") + "." + row.getString("seniority_index"),
                      row.getLong("number"),
                      row.getInt("batch"),
                      row.getLong("turn")))
          .list();
    }
  }

  private static Query asked(Handle handle, String sql, Look look) {
    return handle
        .createQuery(sql)
        .bindArray("queued", String.class, look.queued())
        .bind("foremost", look.foremost())
        .bind("following", look.following())
        .bind("batch", look.batch())
        .bind("number", look.number())
        .bind("more", look.more());
  }

  /** Few hosts in few batches, so that all that can meet does. */
  private static String state(Random random) {
    StringBuilder sql =
        new StringBuilder(
            """
            INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
            SELECT 'h' || n, '10.0.0.1', 'static', 'default', 'static', clock_timestamp()
            FROM generate_series(0, 29) n;
            """);
    int rollouts = 1 + random.nextInt(4);
    for (int number = 1; number <= rollouts; number++) {
      sql.append(
          """
          INSERT INTO rollouts (id, number, release, mode, priority, state, reason, requester, team)
          OVERRIDING SYSTEM VALUE
          VALUES ('r%1$d', %1$d, '2', 'PackageUpdate', '%2$s', '%3$s', 'why %1$d', 'who %1$d', 'sre');
          INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence)
          VALUES ('g%1$d', 'r%1$d', '{}', 'proposed', 1, 1, '{}');
          """
              .formatted(
                  number,
                  List.of("Low", "Normal", "High").get(random.nextInt(3)),
                  random.nextInt(6) == 0 ? "Aborted" : "Running"));
      int hosts = random.nextInt(30);
      for (int position = 0; position < hosts; position++) {
        sql.append(upgrade(random, number, position));
      }
    }
    return sql.toString();
  }

  private static String upgrade(Random random, int rollout, int position) {
    boolean pending = random.nextInt(10) > 0;
    boolean aged = random.nextInt(10) == 0;
    return """
        INSERT INTO host_upgrades (rollout, host, position, batch, state, grant_id, not_before,
                                   waits_for, seniority_revision, seniority_index, ready_until)
        VALUES ('r%d', 'h%d', %d, %d, '%s', %s, %s, '%s', %s, %s, %s);
        """
        .formatted(
            rollout,
            (position * 7 + rollout) % 30,
            position,
            random.nextInt(12),
            pending ? "Pending" : random.nextBoolean() ? "InProgress" : "Upgraded",
            random.nextInt(20) == 0 ? "'g" + rollout + "'" : "NULL",
            switch (random.nextInt(20)) {
              case 0 -> "clock_timestamp() + interval '1 h'";
              case 1 -> "clock_timestamp() - interval '1 h'";
              default -> "NULL";
            },
            random.nextInt(20) == 0 ? "{web}" : "{}",
            aged ? random.nextInt(3) : "NULL",
            aged ? random.nextInt(3) : "NULL",
            switch (random.nextInt(8)) {
              case 0 -> "NULL";
              case 1 -> "clock_timestamp() - interval '1 h'";
              default -> "clock_timestamp() + interval '1 h'";
            });
  }

  /** Statistics are as they are after a large submission: none, or of a time before it. */
  @Test
  void readsNoMoreWhenMoreWait() {
    Look look = new Look(List.of("r1.w5", "r3.w9+1"), 50, 50, 20, 2, true);
    waiting(0, 2_000);
    long few = rows(PendingBatches.OFFERED, look);
    execute("ANALYZE host_upgrades");
    waiting(2_000, 20_000);
    assertThat(rows(PendingBatches.OFFERED, look)).isLessThan(few + few / 10);
    execute("ANALYZE host_upgrades");
    assertThat(rows(PendingBatches.OFFERED, look)).isLessThan(few + few / 10);

    assertThat(rows(PendingBatches.OFFERED, look.afterAll()))
        .as("once while all fit")
        .isLessThan(few * 3 / 4);
    assertThat(rows(PLAIN, look))
        .as("control: the plain one reads all")
        .isGreaterThanOrEqualTo(20_000);

    execute("UPDATE host_upgrades SET state = 'Upgraded' WHERE batch < 8000");
    assertThat(rows(PendingBatches.OFFERED, look)).as("most are done").isLessThan(few + few / 10);
    execute("UPDATE host_upgrades SET waits_for = '{web}' WHERE batch > 8010");
    assertThat(rows(PendingBatches.OFFERED, look)).as("most wait for canaries").isLessThan(few);
  }

  /** Of all that wait, few passed their preflights. */
  @Test
  void readsOnlyThoseThatPassedTheirPreflights() {
    Look look = new Look(List.of("r1.w5", "r3.w9+1"), 50, 50, 20, 2, true);
    waiting(0, 20_000);
    execute(
        "UPDATE host_upgrades SET ready_until = clock_timestamp() + interval '1 h' WHERE batch % 100 = 0");
    assertThat(rows(PendingBatches.OFFERED_READY, look)).isLessThan(4_000);
    execute("ANALYZE host_upgrades");
    assertThat(rows(PendingBatches.OFFERED_READY, look)).isLessThan(4_000);
    execute("DROP INDEX host_upgrades_ready");
    assertThat(rows(PendingBatches.OFFERED_READY, look))
        .as("control: without its index all that wait are read")
        .isGreaterThan(10_000);
    execute(
        """
        CREATE INDEX host_upgrades_ready ON host_upgrades (rollout, batch)
        WHERE state = 'Pending' AND grant_id IS NULL AND waits_for = '{}'
          AND seniority_revision IS NULL AND ready_until IS NOT NULL
        """);
  }

  /** Adds hosts to three rollouts, in batches of two. */
  private static void waiting(int from, int to) {
    execute(
        """
        INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
        SELECT 'r' || n, '2', 'PackageUpdate', 'Running', '', 'sre', 'sre' FROM generate_series(1, 3) n
        ON CONFLICT DO NOTHING;
        INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
        SELECT 'w' || n, '10.0.0.1', 'static', 'default', 'static', clock_timestamp()
        FROM generate_series(%1$d, %2$d - 1) n;
        INSERT INTO host_upgrades (rollout, host, position, batch, state)
        SELECT 'r' || n / 2 %% 3 + 1, 'w' || n, n, n / 2, 'Pending'
        FROM generate_series(%1$d, %2$d - 1) n;
        """
            .formatted(from, to));
  }

  /** How many rows of hosts the server reads for it. */
  private static long rows(String sql, Look look) {
    return database
        .jdbi()
        .withHandle(
            handle -> {
              try (Query query = asked(handle, "EXPLAIN (ANALYZE, FORMAT JSON) " + sql, look)) {
                String plan = query.mapTo(String.class).one();
                return rows(Json.readTree("{\"Plans\": " + plan + "}"));
              }
            });
  }

  private static long rows(Object node) {
    return switch (node) {
      case Map<?, ?> plan -> {
        long own =
            "host_upgrades".equals(plan.get("Relation Name"))
                ? (number(plan, "Actual Rows") + number(plan, "Rows Removed by Filter"))
                    * number(plan, "Actual Loops")
                : 0;
        yield own + plan.values().stream().mapToLong(PendingBatchesTest::rows).sum();
      }
      case List<?> plans -> plans.stream().mapToLong(PendingBatchesTest::rows).sum();
      default -> 0;
    };
  }

  private static long number(Map<?, ?> plan, String key) {
    return plan.get(key) instanceof Number number ? number.longValue() : 0;
  }

  private static void execute(String sql) {
    database.jdbi().useHandle(handle -> handle.execute(sql));
  }
}
