package dev.drydock.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The feed over HTTP: long poll, stream, filters, retention, and what is wrong with a request. */
@Tag("stack")
class FeedApiTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private TestDatabase database;
  private Fleet fleet;
  private EventFeed feed;
  private TestApi api;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02")) {
      fleet.host(host);
    }
    fleet.rollout("r1", "h01", "h02");
    fleet.rollout("r2", "h02");
    open();
  }

  private void open() {
    feed = new EventFeed(database.database(), new ServerConfig.Events(Duration.ofDays(7), 2));
    api = TestApi.start(feed.resources(), List.of(feed.stream()));
  }

  @AfterEach
  void stop() {
    shut();
    database.close();
  }

  private void shut() {
    feed.polls().end();
    api.close();
    feed.close();
  }

  @Test
  void givesWhatCameAfterTheCursorInOrder() {
    append("h01", EventKind.JobPublished, EventKind.JobClaimed, EventKind.JobDone);
    Answered all = poll("cursor=0&waitMillis=20000&count=2");
    assertThat(all.kinds()).startsWith("JobPublished");
    List<String> kinds = new ArrayList<>(all.kinds());
    while (kinds.size() < 3) {
      all = poll("cursor=" + all.cursor() + "&waitMillis=20000&count=2");
      kinds.addAll(all.kinds());
    }
    assertThat(kinds).containsExactly("JobPublished", "JobClaimed", "JobDone");
    Map<String, Object> event = all.events().getLast();
    assertThat(event)
        .containsEntry("cursor", all.cursor())
        .containsEntry("rollout", "r1")
        .containsEntry("host", "h01")
        .containsEntry("data", "{\"job\": \"j\"}")
        .containsKey("at");
    assertThat(poll("cursor=" + all.cursor()).kinds()).isEmpty();
  }

  @Test
  void answersAWaitingCallAsSoonAsItsEventIsCommitted() throws Exception {
    String now = poll("").cursor();
    CompletableFuture<Answered> wanted = waiting("cursor=" + now + "&host=h01&rollout=r1");
    CompletableFuture<Answered> any = waiting("cursor=" + now);
    CompletableFuture<Answered> other = waiting("cursor=" + now + "&kinds=List(JobDone,JobFailed)");
    append("h02", EventKind.JobClaimed);
    assertThat(any.get(30, TimeUnit.SECONDS).kinds()).containsExactly("JobClaimed");
    assertThat(wanted).isNotDone();
    append("h01", EventKind.JobPublished);
    assertThat(wanted.get(30, TimeUnit.SECONDS).kinds()).containsExactly("JobPublished");
    assertThat(other).isNotDone();
    append("h01", EventKind.JobFailed);
    assertThat(other.get(30, TimeUnit.SECONDS).kinds()).containsExactly("JobFailed");
    assertThat(feed.polls().open()).isZero();
  }

  @Test
  void aCursorGoesOnPastWhatItsFilterLeavesOut() {
    append("h01", EventKind.JobClaimed, EventKind.JobDone);
    until(() -> poll("cursor=0").kinds().size() == 2);
    assertThat(poll("cursor=0&rollout=r2").kinds()).isEmpty();
    assertThat(poll("cursor=0&rollout=r2").cursor()).isEqualTo(poll("").cursor());
  }

  @Test
  void answersAllThatWaitWhenTheServerEnds() throws Exception {
    CompletableFuture<Answered> one = waiting("cursor=" + poll("").cursor());
    feed.polls().end();
    assertThat(one.get(30, TimeUnit.SECONDS).kinds()).isEmpty();
    assertThat(poll("waitMillis=30000").kinds()).as("nothing waits any more").isEmpty();
  }

  @Test
  void streamsFromTheLastIdOnAndThroughARestart() throws Exception {
    append("h01", EventKind.JobPublished, EventKind.JobClaimed);
    until(() -> poll("cursor=0").kinds().size() == 2);
    String second;
    try (Sse stream = new Sse("?after=0", "")) {
      assertThat(stream.frame()).startsWith("id: 1", "event: JobPublished");
      List<String> frame = stream.frame();
      second = frame.getFirst().substring("id: ".length());
      assertThat(Json.readTree(frame.get(2).substring("data: ".length())))
          .containsEntry("cursor", second)
          .containsEntry("kind", "JobClaimed");
      append("h02", EventKind.JobDone);
      assertThat(stream.frame()).contains("event: JobDone");
      shut();
      assertThat(stream.frame()).as("ends in order").isEmpty();
    }
    open();
    append("h02", EventKind.JobExpired);
    try (Sse stream = new Sse("?after=0", second)) {
      assertThat(stream.frame()).as("Last-Event-ID wins").contains("event: JobDone");
      assertThat(stream.frame()).contains("event: JobExpired");
    }
    try (Sse stream = new Sse("?after=0&kind=JobDone&kind=JobClaimed&host=h02", "")) {
      assertThat(stream.frame()).contains("event: JobDone");
    }
    try (Sse stream = new Sse("?rollout=r1", "")) {
      append("h01", EventKind.JobUnknown);
      assertThat(stream.frame()).as("from now on").contains("event: JobUnknown");
    }
  }

  @Test
  void readersOfWhatIsNotInMemoryGetItFromTheDatabase() {
    int many = EventBuffer.EVENTS_MAX + 500;
    database
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "INSERT INTO events (kind, rollout) SELECT 'JobDone', 'r1'"
                        + " FROM generate_series(1, ?)",
                    many));
    until(() -> poll("").cursor().equals(String.valueOf(many)));
    String cursor = "0";
    int read = 0;
    while (read < many) {
      Answered page = poll("count=1000&rollout=r1&cursor=" + cursor);
      assertThat(page.events().getFirst()).containsEntry("cursor", String.valueOf(read + 1));
      read += page.events().size();
      cursor = page.cursor();
    }
    assertThat(cursor).isEqualTo(String.valueOf(many));
  }

  @Test
  void forgetsOnlyABeginningAndTellsWhoComesTooLate() throws Exception {
    append("h01", EventKind.JobPublished, EventKind.JobClaimed, EventKind.JobDone);
    append("h02", EventKind.JobPublished, EventKind.JobClaimed, EventKind.JobDone);
    until(() -> poll("cursor=0").kinds().size() == 6);
    fleet.execute("UPDATE events SET at = at - interval '8 d' WHERE number <> 3");
    EventRows rows = new EventRows(database.jdbi());
    assertThat(rows.prune(Duration.ofDays(7), 1, 1)).as("in bounded batches").isEqualTo(1);
    assertThat(rows.prune(Duration.ofDays(7), 1, 10)).isEqualTo(1);
    assertThat(rows.oldest()).as("the third is young, what follows stays").isEqualTo(3);
    fleet.execute("UPDATE events SET at = at - interval '8 d'");
    assertThat(rows.prune(Duration.ofDays(7), 2, 10))
        .as("two are kept, old as they are")
        .isEqualTo(2);
    shut();
    open();
    Answer gone = get("cursor=1");
    assertThat(gone.status()).isEqualTo(410);
    assertThat(Json.readTree(gone.body())).containsEntry("code", "CursorGone");
    assertThat(gone.body()).contains("the oldest cursor is 4");
    try (Sse stream = new Sse("", "3")) {
      assertThat(stream.status).isEqualTo(410);
    }
    assertThat(poll("cursor=4").kinds()).containsExactly("JobClaimed", "JobDone");
    assertThat(poll("cursor=0").kinds()).containsExactly("JobClaimed", "JobDone");
    assertThat(get("cursor=7").body()).contains("CursorGone", "after the newest event, 6");
    append("h01", EventKind.JobDone);
    assertThat(poll("cursor=6&waitMillis=20000").cursor()).as("numbers go on").isEqualTo("7");
  }

  @Test
  void aSlowReaderFindsThatItsPlaceIsGone() {
    append("h01", EventKind.JobPublished, EventKind.JobClaimed, EventKind.JobDone);
    until(() -> poll("cursor=0").kinds().size() == 3);
    shut();
    fleet.execute("DELETE FROM events WHERE number <= 2");
    open();
    assertThat(get("cursor=1").status()).isEqualTo(410);
    assertThat(poll("cursor=2").kinds()).containsExactly("JobDone");
  }

  @Test
  void namesAllThatIsWrong() throws Exception {
    Answer wrong =
        get("cursor=-1&waitMillis=30001&count=1001&start=3&kinds=List(JobDone,Nonsense)");
    assertThat(wrong.status()).isEqualTo(422);
    assertThat(paths(wrong))
        .containsExactlyInAnyOrder("cursor", "waitMillis", "count", "start", "kinds[1]");
    assertThat(wrong.body()).contains("HostUpgradeChanged", "must be from 0 to 30000");
    for (String cursor : List.of("x", "1e3", "99999999999999999999", "%00", "")) {
      assertThat(get("cursor=" + cursor).status()).as(cursor).isBetween(400, 422);
    }
    assertThat(Json.readTree(get("rollout=r9").body())).containsEntry("code", "UNKNOWN_ROLLOUT");
    assertThat(Json.readTree(get("host=h09").body())).containsEntry("code", "UNKNOWN_HOST");
    assertThat(get("rollout=a%00b").status()).isEqualTo(404);
    Answer stream =
        api.call("viewer", "GET", "/api/stream?after=x&kind=a&since=3&host=h01&host=h02", "");
    assertThat(stream.status()).isEqualTo(422);
    assertThat(paths(stream)).containsExactlyInAnyOrder("since", "after", "kind[0]", "host");
    try (Sse bad = new Sse("?after=0", "soon")) {
      assertThat(bad.status).isEqualTo(422);
    }
    assertThat(api.call("viewer", "GET", "/api/stream?rollout=r9", "").status()).isEqualTo(404);
    assertThat(api.call("viewer", "POST", "/api/stream", "{}").status()).isEqualTo(405);
    assertThat(api.send(api.request("GET", "/api/stream", "").build()).status()).isEqualTo(401);
  }

  private void append(String host, EventKind... kinds) {
    database.jdbi().useTransaction(handle -> write(handle, host, kinds));
  }

  private static void write(Handle handle, String host, EventKind... kinds) {
    for (EventKind kind : kinds) {
      NewEvent.ofHost(kind, "r1", host, Map.of("job", "j")).append(handle);
    }
  }

  private CompletableFuture<Answered> waiting(String query) {
    int before = feed.polls().open();
    CompletableFuture<Answered> answer =
        CompletableFuture.supplyAsync(
            () -> poll(query + "&waitMillis=20000"), Thread::startVirtualThread);
    until(() -> feed.polls().open() > before);
    return answer;
  }

  private Answer get(String query) {
    return api.call("viewer", "GET", "/api/events?q=after&" + query, "");
  }

  private Answered poll(String query) {
    Answer answer = get(query);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new Answered(Json.readTree(answer.body()));
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  private static List<String> paths(Answer answer) {
    List<String> paths = new ArrayList<>();
    for (Object detail :
        (List<?>) Json.readTree(answer.body()).getOrDefault("details", List.of())) {
      paths.add(String.valueOf(((Map<?, ?>) detail).get("path")));
    }
    return paths;
  }

  /** One answer of the finder. */
  private record Answered(Map<String, Object> tree) {
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> events() {
      return (List<Map<String, Object>>) tree.getOrDefault("elements", List.of());
    }

    List<String> kinds() {
      return events().stream().map(event -> String.valueOf(event.get("kind"))).toList();
    }

    String cursor() {
      return String.valueOf(((Map<?, ?>) tree.getOrDefault("metadata", Map.of())).get("cursor"));
    }
  }

  /** A client of the stream. */
  private final class Sse implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final BufferedReader lines;
    final int status;

    Sse(String query, String lastEventId) throws IOException, InterruptedException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(api.address() + "/api/stream" + query))
              .header("Authorization", "Bearer " + TestApi.token("viewer"));
      if (!lastEventId.isEmpty()) {
        request.header("Last-Event-ID", lastEventId);
      }
      var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      status = answer.statusCode();
      lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    /** The lines of the next event; none at the end of the stream. */
    List<String> frame() throws IOException {
      List<String> frame = new ArrayList<>();
      String line = lines.readLine();
      while (line != null && (!line.isEmpty() || frame.isEmpty())) {
        if (!line.isEmpty() && !line.startsWith(":")) {
          frame.add(line);
        }
        line = lines.readLine();
      }
      return frame;
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }
}
