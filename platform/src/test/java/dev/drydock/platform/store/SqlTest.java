package dev.drydock.platform.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
final class SqlTest {
  private static TestDatabase server;
  private static Database database;
  private static Jdbi jdbi;

  @BeforeAll
  static void open() throws IOException {
    server = new TestDatabase();
    database = Database.open(server.config());
    jdbi = database.jdbi();
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  private enum State {
    Running
  }

  private record Row(
      String hardwareClass,
      List<String> hosts,
      Optional<String> missing,
      Optional<Instant> endedAt,
      Instant at,
      State state,
      int count,
      boolean open) {}

  @Test
  void aRowIsTheRecordWhoseComponentsItsColumnsAre() {
    Instant at = Instant.parse("2026-06-01T10:00:00Z");
    Row row =
        Sql.one(
            jdbi,
            Row.class,
            """
            SELECT 'large' AS hardware_class, CAST(:hosts AS text[]) AS hosts,
                   CAST(NULL AS text) AS missing, CAST(NULL AS timestamptz) AS ended_at,
                   CAST(:at AS timestamptz) AS at, 'Running' AS state, count(*) AS count,
                   true AS open
            """,
            Map.of("hosts", List.of("h1", "h2"), "at", at));
    assertThat(row)
        .isEqualTo(
            new Row(
                "large",
                List.of("h1", "h2"),
                Optional.empty(),
                Optional.empty(),
                at,
                State.Running,
                1,
                true));
  }

  @Test
  void aCollectionIsAnArrayOfTextsAlsoIfItIsEmpty() {
    String sql = "SELECT name FROM unnest(:names) AS t (name) ORDER BY name DESC";
    assertThat(Sql.texts(jdbi, sql, Map.of("names", List.of("a", "b")))).containsExactly("b", "a");
    assertThat(Sql.texts(jdbi, sql, Map.of("names", List.of()))).isEmpty();
  }

  @Test
  void whatIsEmptyIsNull() {
    String sql = "SELECT CAST(:value AS text) IS NULL";
    assertThat(Sql.yes(jdbi, sql, Map.of("value", Optional.empty()))).isTrue();
    assertThat(Sql.yes(jdbi, sql, Map.of("value", Optional.of("x")))).isFalse();
  }

  @Test
  void namesComeInTheOrderOfTheRows() {
    String sql = "SELECT * FROM (VALUES ('z', 1), ('a', 2)) AS t (name, number)";
    assertThat(Sql.byName(jdbi, Integer.class, sql, Map.of()))
        .containsExactly(Map.entry("z", 1), Map.entry("a", 2));
  }

  @Test
  void oneRowIsOne() {
    String sql = "SELECT generate_series(1, :rows)";
    assertThat(Sql.find(jdbi, Integer.class, sql, Map.of("rows", 0))).isEmpty();
    assertThat(Sql.one(jdbi, Integer.class, sql, Map.of("rows", 1))).isEqualTo(1);
    assertThatThrownBy(() -> Sql.one(jdbi, Integer.class, sql, Map.of("rows", 2)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> Sql.one(jdbi, Integer.class, sql, Map.of("rows", 0)))
        .isInstanceOf(IllegalStateException.class);
  }
}
