package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.proto.Json;
import java.io.File;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A server with three replicas of two shards on three hosts, a scheduler adapter played by the
 * test, and the example controller as a process of its own; everything over public HTTP.
 */
final class ControllerScenario implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOPIC = "shard-approvals";
  private static final Map<String, String> INSTANCES =
      Map.of("h1", "web-1-a@h1", "h2", "web-1-b@h2", "h3", "web-2-a@h3");

  private final TestServer server;
  private final Path folder;
  private final Path closed;
  private Optional<Process> controller = Optional.empty();
  private long reported;

  ControllerScenario(Path folder) throws Exception {
    this.folder = folder;
    closed = folder.resolve("closed-shards");
    server = new TestServer(folder);
    server.start("--roles=all");
    server.untilReady();
    report();
  }

  private Map<String, Object> call(String token, String method, String path, String body) {
    try {
      HttpResponse<String> answer = server.send(token, method, "/api/" + path, body);
      assertThat(answer.statusCode()).as(path + ": " + answer.body()).isBetween(200, 201);
      return answer.body().isEmpty() ? Map.of() : Json.readTree(answer.body());
    } catch (Exception failed) {
      throw new AssertionError(path, failed);
    }
  }

  private Map<String, Object> admin(String method, String path, String body) {
    return call(TestServer.ADMIN_TOKEN, method, path, body);
  }

  private static List<Map<?, ?>> elements(Map<String, Object> answer) {
    List<Map<?, ?>> elements = new ArrayList<>();
    ((List<?>) answer.getOrDefault("elements", List.of()))
        .forEach(one -> elements.add((Map<?, ?>) one));
    return elements;
  }

  /** Everything runs and is well, seen now. */
  private void report() {
    List<Map<String, Object>> hosts = new ArrayList<>();
    List<Map<String, Object>> instances = new ArrayList<>();
    for (String host : INSTANCES.keySet()) {
      hosts.add(Map.of("name", host, "address", "10.0.0.1", "scheduler", "static"));
      instances.add(instance(host));
    }
    Map<String, Object> report =
        Map.of(
            "source",
            "static",
            "mark",
            mark(),
            "full",
            true,
            "hosts",
            hosts,
            "instances",
            instances);
    admin("POST", "inventory?action=report", Json.writeTree(Map.of("report", report)));
    reported = System.nanoTime();
  }

  private long mark() {
    Object mark = admin("POST", "inventory?action=mark", "{\"source\":\"static\"}").get("value");
    return ((Number) Optional.ofNullable(mark).orElseThrow()).longValue();
  }

  private static Map<String, Object> instance(String host) {
    return Map.of(
        "id",
        String.valueOf(INSTANCES.get(host)),
        "application",
        "web",
        "host",
        host,
        "zone",
        "z",
        "health",
        "Healthy",
        "observedAt",
        System.currentTimeMillis());
  }

  void policy(String rules) {
    String yaml =
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: web, team: search}
        spec:
          applications: [web]
          capacity: [%s]
        """
            .formatted(rules);
    admin("POST", "policies", Json.writeTree(Map.of("yaml", yaml)));
  }

  /** Its id. */
  String rollout() {
    String release =
        """
        {"name": "2", "channel": "http://10.0.0.9/2", "packages": {"base": "2"}, "kernel": "2"}
        """;
    admin("POST", "releases", release);
    String request =
        "{\"release\": \"2\", \"hosts\": [\"h1\", \"h2\", \"h3\"], \"requestId\": \"story\"}";
    try {
      HttpResponse<String> answer =
          server.send(TestServer.ADMIN_TOKEN, "POST", "/api/rollouts", request);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      return answer.headers().firstValue("X-RestLi-Id").orElseThrow();
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  void startController() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), TestServer.CONTROLLER_TOKEN);
    ProcessBuilder python =
        new ProcessBuilder("python3", "-m", "drydock_controller.shards", TOPIC, closed.toString());
    python.environment().put("DRYDOCK_URL", server.address("").toString());
    python.environment().put("DRYDOCK_TOKEN_FILE", token.toString());
    python.environment().put("PYTHONPATH", sources());
    Path log = folder.resolve("controller.log");
    controller =
        Optional.of(
            python
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
  }

  private static String sources() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path found = at.resolve("impact-analyzer/controllers/src");
      if (Files.isDirectory(found)) {
        return found + File.pathSeparator + at.resolve("proto/src/main/python");
      }
    }
    throw new IllegalStateException("impact-analyzer/controllers/src is not here or above");
  }

  void killController() throws InterruptedException {
    controller.orElseThrow().destroyForcibly().waitFor();
  }

  void close(String shard) throws Exception {
    Files.writeString(closed, shard);
  }

  /** What {@code host why} tells, newest first. */
  String why(String host) {
    StringBuilder told = new StringBuilder();
    for (Map<?, ?> one : elements(admin("GET", "hostDecisions?q=host&host=" + host, ""))) {
      told.append(one.get("decision")).append(": ").append(one.get("reason")).append('\n');
    }
    return told.toString();
  }

  /** The first of the hosts that was granted. */
  Optional<String> granted(String... hosts) {
    return Stream.of(hosts).filter(host -> why(host).contains("Granted")).findFirst();
  }

  /** State, step and reason. */
  String upgrade(String rollout, String host) {
    return elements(admin("GET", "hostUpgrades?q=rollout&rollout=" + rollout, "")).stream()
        .filter(row -> host.equals(row.get("host")))
        .map(row -> row.get("state") + " " + row.get("step") + ": " + row.get("reason"))
        .findFirst()
        .orElse("");
  }

  /** A job of the step on the host that could be claimed. */
  Optional<String> offered(String step, String host) {
    return offers("scheduler/static", step).stream()
        .filter(job -> host.equals(job.get("host")))
        .map(job -> String.valueOf(job.get("id")))
        .findFirst();
  }

  private List<Map<?, ?>> offers(String topic, String step) {
    String topics = topic.replace("/", "%2F");
    return elements(admin("GET", "jobs?q=claimable&count=50&topics=List(" + topics + ")", ""))
        .stream()
        .filter(job -> step.equals(job.get("step")))
        .toList();
  }

  /** Does a Cordon or Uncordon as the adapter would. */
  void done(String step, String host) {
    eventually(step + " of " + host, () -> offered(step, host).isPresent());
    String job = offered(step, host).orElseThrow();
    String claim = claim(job, TestServer.ADMIN_TOKEN).orElseThrow();
    Map<String, Object> result =
        Map.of(
            "outcome",
            "Done",
            "message",
            "as told",
            "mark",
            mark(),
            "instances",
            List.of(instance(host)));
    admin(
        "POST",
        "jobs/" + job + "?action=complete",
        Json.writeTree(Map.of("claim", claim, "result", result)));
  }

  /** What whoever claimed the job answers with; none where it is not to be had any more. */
  private Optional<String> claim(String job, String token) {
    HttpResponse<String> answer =
        send(token, "jobs/" + job + "?action=claim", "{\"consumer\": \"test\"}");
    return answer.statusCode() == 200
        ? Optional.ofNullable((Map<?, ?>) Json.readTree(answer.body()).get("value"))
            .map(claimed -> String.valueOf(claimed.get("claim")))
        : Optional.empty();
  }

  private HttpResponse<String> send(String token, String path, String body) {
    try {
      return server.send(token, "POST", "/api/" + path, body);
    } catch (Exception failed) {
      throw new AssertionError(path, failed);
    }
  }

  /** Answers a question as the controller's principal; the status and what was said. */
  String answerWith(String answer) {
    List<String> said = new ArrayList<>();
    eventually("a question", () -> answerIfAsked(answer).map(said::add).isPresent());
    return said.getLast();
  }

  /** The same where one is open; none where it was over before it could be claimed. */
  Optional<String> answerIfAsked(String answer) {
    return offers(TOPIC, "Approve").stream()
        .findFirst()
        .flatMap(question -> answer(String.valueOf(question.get("id")), answer));
  }

  private Optional<String> answer(String job, String answer) {
    return claim(job, TestServer.CONTROLLER_TOKEN)
        .map(
            claim ->
                "{\"claim\": \"%s\", \"result\": {\"outcome\": \"Done\", \"message\": \"\", \"answer\": %s}}"
                    .formatted(claim, answer))
        .map(
            result -> send(TestServer.CONTROLLER_TOKEN, "jobs/" + job + "?action=complete", result))
        .map(said -> said.statusCode() + " " + said.body());
  }

  void eventually(String what, BooleanSupplier seen) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!seen.getAsBoolean()) {
      if (System.nanoTime() - reported > TimeUnit.SECONDS.toNanos(5)) {
        report();
      }
      assertThat(System.nanoTime())
          .as(() -> what + "\n" + why("h1") + why("h2") + why("h3"))
          .isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  @Override
  public void close() throws InterruptedException {
    controller.ifPresent(Process::destroyForcibly);
    server.close();
  }
}
