package dev.drydock.platform.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.platform.config.PostgresConfig;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
final class DatabaseTest {
  private static final Principal SRE = new Principal("sre", "ops", Role.OPERATOR, Set.of());
  private static final Duration NEVER = Duration.ofMinutes(10);

  private static TestDatabase server;
  private static Database database;

  @BeforeAll
  static void open() throws IOException {
    server = new TestDatabase();
    database = Database.open(server.config());
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  @Test
  void bringsTheSchemaToThisVersionAndLeavesItThere() {
    Database.open(server.config()).close();
    List<String> tables =
        database
            .jdbi()
            .withHandle(
                handle ->
                    handle
                        .createQuery("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
                        .mapTo(String.class)
                        .list());
    assertThat(tables).contains("hosts", "rollouts", "grants", "jobs", "audit");
  }

  /** As an index of a table that has grown for years. */
  @Test
  void aMigrationMayTakeLongerThanAnythingElse() throws IOException {
    try (TestDatabase fresh = new TestDatabase()) {
      PostgresConfig known = fresh.config();
      Jdbi.create(known.url(), known.user(), known.password())
          .useHandle(
              handle ->
                  handle.execute(
                      """
                      CREATE SCHEMA test;
                      CREATE FUNCTION test.grown() RETURNS event_trigger LANGUAGE plpgsql AS $$
                      BEGIN
                        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands()
                                   WHERE object_identity = 'public.lock_history_hosts') THEN
                          PERFORM pg_sleep(2.5);
                        END IF;
                      END $$;
                      CREATE EVENT TRIGGER grown ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
                        EXECUTE FUNCTION test.grown()
                      """));
      PostgresConfig hurried =
          new PostgresConfig(known.url() + "?socketTimeout=1", known.user(), known.password());
      try (Database opened = Database.open(hurried)) {
        assertThatThrownBy(
                () -> opened.jdbi().useHandle(handle -> handle.execute("SELECT pg_sleep(2.5)")))
            .as("the control: anything else may not")
            .isInstanceOf(RuntimeException.class);
      }
    }
  }

  @Test
  void refusesTheSchemaOfAnotherVersionAndChangesNothing() throws IOException {
    try (TestDatabase foreign = new TestDatabase()) {
      Database.open(foreign.config()).close();
      Jdbi jdbi =
          Jdbi.create(foreign.config().url(), foreign.config().user(), foreign.config().password());
      String history = "SELECT string_agg(script || checksum, ' ') FROM flyway_schema_history";
      jdbi.useHandle(
          handle ->
              handle.execute("UPDATE flyway_schema_history SET checksum = 7 WHERE version = '1'"));
      String before = jdbi.withHandle(handle -> handle.select(history).mapTo(String.class).one());

      assertThatThrownBy(() -> Database.open(foreign.config()))
          .isInstanceOf(Database.UnknownSchemaException.class)
          .hasMessageContaining("made by another version");

      String after = jdbi.withHandle(handle -> handle.select(history).mapTo(String.class).one());
      assertThat(after).isEqualTo(before);
    }
  }

  @Test
  void refusesAWrongPasswordAndLeavesNothingOpen() {
    PostgresConfig wrong = new PostgresConfig(server.config().url(), "postgres", "wrong");
    assertThatThrownBy(() -> Database.open(wrong)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void writesTheAuditRowInTheTransactionOfTheChange() {
    database
        .jdbi()
        .useTransaction(
            handle ->
                AuditTrail.record(handle, SRE, "release.add", "release/2", "{\"kernel\":\"6\"}"));
    assertThatThrownBy(
            () ->
                database
                    .jdbi()
                    .useTransaction(
                        handle -> {
                          AuditTrail.record(handle, SRE, "release.add", "release/3", "{}");
                          throw new IllegalStateException("the change failed");
                        }))
        .hasMessage("the change failed");
    List<String> rows =
        database
            .jdbi()
            .withHandle(
                handle ->
                    handle
                        .createQuery(
                            """
                            SELECT principal || ' ' || team || ' ' || role || ' ' || object
                                   || ' ' || (detail->>'kernel')
                            FROM audit WHERE action = 'release.add'
                            """)
                        .mapTo(String.class)
                        .list());
    assertThat(rows).containsExactly("sre ops operator release/2 6");
  }

  @Test
  void wakesListenersWhenTheTransactionCommitsAndNotBefore() throws Exception {
    BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    try (var listener = listen("committed", calls, NEVER)) {
      assertThat(listener).isNotNull();
      assertThat(calls.poll(10, TimeUnit.SECONDS)).as("called at once").isNotNull();
      database
          .jdbi()
          .useTransaction(
              handle -> {
                WakeupChannel.notify(handle, "committed");
                assertThat(calls.poll(600, TimeUnit.MILLISECONDS)).isNull();
              });
      assertThat(calls.poll(10, TimeUnit.SECONDS)).isNotNull();
      database
          .jdbi()
          .useTransaction(
              handle -> {
                WakeupChannel.notify(handle, "committed");
                handle.rollback();
              });
      assertThat(calls.poll(600, TimeUnit.MILLISECONDS)).isNull();
    }
  }

  @Test
  void callsOnItsIntervalAlsoWhenNobodyNotifies() throws Exception {
    BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    try (var listener = listen("interval", calls, Duration.ofMillis(100))) {
      assertThat(listener).isNotNull();
      for (int call = 0; call < 4; call++) {
        assertThat(calls.poll(10, TimeUnit.SECONDS)).isNotNull();
      }
    }
  }

  @Test
  void listensAgainAfterItsConnectionIsLost() throws Exception {
    BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    try (var listener = listen("lost", calls, NEVER)) {
      assertThat(listener).isNotNull();
      assertThat(calls.poll(10, TimeUnit.SECONDS)).isNotNull();
      server.breakListeners();
      assertThat(calls.poll(20, TimeUnit.SECONDS)).as("called after the loss").isNotNull();
      assertThat(calls.poll(20, TimeUnit.SECONDS)).as("called when it listens again").isNotNull();
      database.jdbi().useTransaction(handle -> WakeupChannel.notify(handle, "lost"));
      assertThat(calls.poll(10, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void gathersWhatComesAfterAnActionForNoLongerThanItMay() throws Exception {
    Duration moment = Duration.ofMillis(300);
    BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
    try (var listener =
        new WakeupChannel(database)
            .listen(
                "gathered",
                NEVER,
                new WakeupChannel.Gathering(Integer.MAX_VALUE, moment),
                () -> calls.add(System.nanoTime()))) {
      assertThat(listener).isNotNull();
      Long first = calls.poll(10, TimeUnit.SECONDS);
      assertThat(first).isNotNull();
      database.jdbi().useTransaction(handle -> WakeupChannel.notify(handle, "gathered"));
      database.jdbi().useTransaction(handle -> WakeupChannel.notify(handle, "gathered"));
      Long second = calls.poll(10, TimeUnit.SECONDS);
      assertThat(second).isNotNull();
      assertThat(Duration.ofNanos(second - first)).isGreaterThanOrEqualTo(moment);
    }
  }

  @Test
  void goesOnWhenItsActionFails() throws Exception {
    CountDownLatch calls = new CountDownLatch(3);
    try (var listener =
        new WakeupChannel(database)
            .listen(
                "failing",
                Duration.ofMillis(100),
                () -> {
                  calls.countDown();
                  throw new IllegalStateException("planted");
                })) {
      assertThat(listener).isNotNull();
      assertThat(calls.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static WakeupChannel.Listener listen(
      String channel, BlockingQueue<String> calls, Duration interval) {
    return new WakeupChannel(database).listen(channel, interval, () -> calls.add(channel));
  }
}
