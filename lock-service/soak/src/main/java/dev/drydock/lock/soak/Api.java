package dev.drydock.lock.soak;

import dev.drydock.proto.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The public API as one client calls it: one server after the other, the next one where one gives
 * no answer. Confined to one thread.
 */
final class Api {
  /** For one attempt; a try takes its time to be decided. */
  private static final Duration ANSWER = Duration.ofSeconds(5);

  static final Duration TRY_ANSWER = Duration.ofSeconds(12);

  private final HttpClient http;
  private final List<URI> servers;
  private final String token;
  private int at;

  /**
   * Calls these servers.
   *
   * @param http shared by the clients of a process
   * @param token whose calls these are
   * @param first which of them is asked first
   */
  Api(HttpClient http, List<URI> servers, String token, int first) {
    this.http = http;
    this.servers = List.copyOf(servers);
    this.token = token;
    at = first;
  }

  /** The server gave no answer, or answered 5xx: the outcome of the call is unknown. */
  static final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswerException(String what) {
      super(what);
    }
  }

  /** What a server said. */
  record Answer(int status, Optional<String> id, String body) {
    boolean ok() {
      return status / 100 == 2;
    }

    Map<String, Object> document() {
      return Json.readTree(body);
    }

    /** What it answers that the client is not prepared for. */
    IllegalStateException unexpected() {
      return new IllegalStateException("the server answered " + status + " " + body);
    }
  }

  /** The next call goes to another server. */
  void another() {
    at = (at + 1) % servers.size();
  }

  Answer call(String method, String path, String body) {
    return call(method, path, body, ANSWER);
  }

  /**
   * One attempt.
   *
   * @throws NoAnswerException when its outcome is unknown; the next attempt asks another server
   */
  Answer call(String method, String path, String body, Duration patience) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(servers.get(at) + path))
            .timeout(patience)
            .header("X-RestLi-Protocol-Version", "2.0.0")
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + token)
            .header("fleet-lock-protocol", "true")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() >= 500) {
        throw new NoAnswerException(answer.statusCode() + " " + answer.body());
      }
      return new Answer(
          answer.statusCode(), answer.headers().firstValue("x-restli-id"), answer.body());
    } catch (IOException | NoAnswerException none) {
      another();
      throw new NoAnswerException(method + " " + path + ": " + none.getMessage());
    } catch (InterruptedException stop) {
      throw new IllegalStateException("clients are not interrupted", stop);
    }
  }
}
