package dev.drydock.server;

import dev.drydock.api.Event;
import dev.drydock.proto.Json;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.EventPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Clients that follow a rollout by stream and by long poll, and come back whenever they are cut
 * off.
 */
final class FeedFollowers implements AutoCloseable {
  private final TestServer server;
  private final String rollout;
  private final FeedScenario story;
  private final List<Follower> followers = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final DrydockClient client;
  private volatile boolean closed;

  /** So many of each sort. */
  FeedFollowers(TestServer server, String rollout, int each, FeedScenario story)
      throws IOException {
    this.server = server;
    this.rollout = rollout;
    this.story = story;
    Path token = Files.createTempFile("token", "");
    token.toFile().deleteOnExit();
    Files.writeString(token, TestServer.ADMIN_TOKEN);
    client =
        new DrydockClient(
            ClientConfig.of(server.address(""), token).withRetryBudget(Duration.ZERO));
    for (int i = 0; i < each; i++) {
      follow(this::stream);
      follow(this::poll);
    }
  }

  private interface Way {
    /** Follows until it is cut off. */
    void follow(Follower follower) throws IOException, InterruptedException;
  }

  private void follow(Way way) {
    Follower follower = new Follower();
    followers.add(follower);
    threads.execute(
        () -> {
          while (!follower.ended && !closed) {
            try {
              way.follow(follower);
            } catch (IOException | UncheckedIOException | CallException cut) {
              LockSupport.parkNanos(Duration.ofMillis(250).toNanos());
            } catch (InterruptedException stop) {
              return;
            }
          }
        });
  }

  private void stream(Follower follower) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.address("/api/stream?after=0&rollout=" + rollout))
            .header("Authorization", "Bearer " + TestServer.ADMIN_TOKEN);
    if (!follower.cursor.equals("0")) {
      request.header("Last-Event-ID", follower.cursor);
    }
    HttpResponse<Stream<String>> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
    if (answer.statusCode() != 200) {
      throw new IOException("status " + answer.statusCode());
    }
    try (Stream<String> body = answer.body()) {
      Iterator<String> lines = body.iterator();
      while (!follower.ended && lines.hasNext()) {
        String line = lines.next();
        if (line.startsWith("data: ")) {
          follower.sees(Json.read(line.substring("data: ".length()), Event.class));
        }
      }
    }
  }

  private void poll(Follower follower) {
    EventPage page = client.events(follower.cursor, rollout, Duration.ofSeconds(5));
    page.events().forEach(follower::sees);
    follower.cursor = page.cursor();
  }

  /** What one client has seen. */
  private final class Follower {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private volatile String cursor = "0";
    private volatile boolean ended;

    void sees(Event event) {
      seen.add(event.getCursor());
      cursor = event.getCursor();
      if (Json.readTree(event.getData()).get("place") instanceof Number place) {
        story.saw(place.longValue());
      }
      ended = event.getKind().equals("RolloutEnded");
    }
  }

  /** Waits until each of them has seen that many more events. */
  void untilAllSaw(int more) {
    for (Follower follower : followers) {
      int before = follower.seen.size();
      FeedScenario.until(() -> follower.seen.size() >= before + more, "a follower sees more");
    }
  }

  /** The cursors each has seen, once all have seen the end. */
  List<List<String>> seenToTheEnd() {
    FeedScenario.until(() -> followers.stream().allMatch(one -> one.ended), "all see the end");
    return followers.stream().map(one -> List.copyOf(one.seen)).toList();
  }

  @Override
  public void close() {
    closed = true;
    http.shutdownNow();
    client.close();
    threads.shutdownNow();
  }
}
