package dev.drydock.orchestrator.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.events.FeedFilter;
import dev.drydock.orchestrator.events.FeedReader;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Two teams with applications on hosts of one fleet: web of team search on all of them, ads of team
 * ads where it is put. Real database, real HTTP.
 */
final class Teams implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ServerConfig.Events KEPT = new ServerConfig.Events(Duration.ofDays(7), 2);
  private static final Principal CONSUMER =
      new Principal("operator", "sre", Role.CONSUMER, Set.of("host", "host/default"), false);

  final TestDatabase database = new TestDatabase();
  final Fleet fleet = new Fleet(database.jdbi());
  private final JobBoard board =
      new JobBoard(
          database.jdbi(),
          BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(30)));
  private EventFeed feed;
  private TestApi api;

  Teams() {
    policy("search", "web");
    policy("ads", "ads");
    open();
  }

  /** The server starts, again. */
  void open() {
    feed = new EventFeed(database.database(), KEPT);
    Map<String, Principal> principals = new LinkedHashMap<>();
    for (String team : List.of("search", "ads")) {
      for (Role role : List.of(Role.OWNER, Role.CONSUMER, Role.VIEWER)) {
        String name = team + "-" + role.word();
        principals.put(name, new Principal(name, team, role, Set.of()));
      }
    }
    principals.put("admin", new Principal("admin", "sre", Role.ADMIN, Set.of()));
    api = TestApi.start(new Subscriptions(database.jdbi(), feed).resources(), principals);
  }

  /** A week goes by, and another server forgets all but the newest events. */
  void forget() {
    fleet.execute("UPDATE events SET at = at - interval '8 d'");
    try (EventFeed other = new EventFeed(database.database(), KEPT)) {
      assertThat(other).isNotNull();
      until(() -> !fleet.value("SELECT min(number) FROM events").equals("1"));
    }
  }

  /** The server ends, and with it every call. */
  void shut() {
    feed.polls().end();
    api.close();
    feed.close();
  }

  @Override
  public void close() {
    shut();
    database.close();
  }

  TestApi api() {
    return api;
  }

  /** The team owns the application from now on. */
  void policy(String team, String application) {
    fleet.execute(
        "INSERT INTO policies (name, version, team, yaml, created_by) VALUES ('%1$s', 1, '%1$s', '', 'test')"
            .formatted(team));
    fleet.execute(
        "INSERT INTO policy_applications (application, policy) VALUES ('%s', '%s')"
            .formatted(application, team));
  }

  /** One more instance on a host. */
  void instance(String application, String host) {
    fleet.instance(application, host);
  }

  /** A batch whose Drain is published: its host is about to go down. */
  BatchRun drained(String host) {
    return fleet.run(fleet.drainPublished(host).replaceFirst("\\..*", ""));
  }

  /** Its update fails with the message, and the host is diagnosed and quarantined. */
  void quarantined(BatchRun run, String host, String message) {
    new BatchSteps(fleet).reach(run.grant(), Step.UPDATE);
    Row.Job update =
        fleet.rows.waiting(run.grant(), JobStep.Update).stream()
            .filter(one -> one.host().equals(host))
            .findFirst()
            .orElseThrow();
    String job = update.id();
    ClaimResult claimResult =
        board.claim(
            job, "operator", new Principal("op", "sre", Role.CONSUMER, Set.of(update.topic())));
    assertThat(claimResult).isInstanceOf(ClaimResult.Granted.class);
    CompletionResult completionResult =
        board.complete(
            job,
            ((ClaimResult.Granted) claimResult).secret(),
            JobReport.of(new JobResult().setOutcome(JobOutcome.Failed).setMessage(message)),
            CONSUMER);
    assertThat(completionResult).isInstanceOf(CompletionResult.Accepted.class);
    fleet.drive(run.grant());
    fleet.done(run.grant(), "Repair");
    fleet.drive(run.grant());
  }

  /** Asks as a principal. */
  Answer call(String principal, String method, String path, String body) {
    return api.call(principal, method, "/api/subscriptions" + path, body);
  }

  /** Creates one with the filters given as JSON fields, such as {@code "events": ["Failed"]}. */
  String subscribe(String principal, String name, String filters) {
    String more = filters.isEmpty() ? "" : ", " + filters;
    Answer answer = call(principal, "POST", "", "{\"name\": \"" + name + "\"" + more + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.header("x-restli-id").orElseThrow();
  }

  /** What is pending now. */
  Page pending(String principal, String id) {
    settle();
    Answer answer = askPending(principal, id);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new Page(Json.readTree(answer.body()));
  }

  Answer askPending(String principal, String id) {
    return api.call(
        principal, "GET", "/api/notifications?q=pending&count=1000&subscription=" + id, "");
  }

  Answer ack(String principal, String id, String cursor) {
    return call(principal, "POST", "/" + id + "?action=ack", "{\"cursor\": \"" + cursor + "\"}");
  }

  static Map<String, Object> value(Answer answer) {
    return tree(Json.readTree(answer.body()), "value");
  }

  /** An object within another; empty if it has none. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> tree(Map<String, Object> within, String field) {
    return (Map<String, Object>) within.getOrDefault(field, Map.of());
  }

  /** Waits until everything committed is numbered and known to this server. */
  void settle() {
    until(() -> fleet.value("SELECT count(*) FROM events WHERE number IS NULL").equals("0"));
    long head = Long.parseLong(fleet.value("SELECT COALESCE(max(number), 0) FROM events"));
    until(() -> read() >= head);
  }

  /** Up to which number this server reads; others may have given later ones. */
  private long read() {
    try (FeedReader reader = feed.subscribe(OptionalLong.empty(), FeedFilter.ALL)) {
      return reader.next(1, () -> {}).position();
    }
  }

  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  /** One answer of pending. */
  record Page(Map<String, Object> tree) {
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> notifications() {
      return (List<Map<String, Object>>) tree.getOrDefault("elements", List.of());
    }

    /** Each as "Event host". */
    List<String> told() {
      List<String> told = new ArrayList<>();
      for (Map<String, Object> one : notifications()) {
        told.add(one.get("event") + " " + one.getOrDefault("host", one.get("rollout")));
      }
      return told;
    }

    String cursor() {
      return String.valueOf(Teams.tree(tree, "metadata").get("cursor"));
    }
  }
}
