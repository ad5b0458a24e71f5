package dev.drydock.cli.webhook;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/** The team's own server that takes messages by POST. Safe for use by many threads. */
public final class HttpReceiver implements Receiver {
  /** The header with the id of the message. */
  public static final String ID_HEADER = "Drydock-Id";

  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(15);
  private static final int ANSWER_SHOWN = 200;

  /**
   * Answers that say something of the receiver or of the address and nothing of the message: the
   * next one would get the same, so none is skipped for them.
   */
  private static final Set<Integer> NOT_ABOUT_THE_BODY =
      Set.of(401, 402, 403, 404, 405, 407, 408, 410, 421, 423, 425, 426, 429);

  private final URI to;
  private final Optional<Path> secretFile;
  private final InstantSource clock;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_MAX)
          .build();

  /**
   * A receiver.
   *
   * @param secretFile holds the shared secret; read for every message, so that it can be replaced
   */
  public HttpReceiver(URI to, Optional<Path> secretFile, InstantSource clock) {
    this.to = to;
    this.secretFile = secretFile;
    this.clock = clock;
  }

  @Override
  public Outcome post(String id, String body) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(to)
            .timeout(ANSWER_MAX)
            .header("Content-Type", "application/json")
            .header("User-Agent", "drydock")
            .header(ID_HEADER, id)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    try {
      if (secretFile.isPresent()) {
        String secret = Files.readString(secretFile.get()).strip();
        request.header(Signature.HEADER, Signature.of(secret, body, clock.instant()));
      }
      return judged(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException noAnswer) {
      return new Outcome.Unclear(to + " gave no answer: " + noAnswer);
    }
  }

  private Outcome judged(HttpResponse<String> answer) {
    int status = answer.statusCode();
    if (status >= 200 && status < 300) {
      return new Outcome.Taken();
    }
    String body = answer.body().strip().replaceAll("\\p{Cntrl}+", " ");
    String shown = body.length() <= ANSWER_SHOWN ? body : body.substring(0, ANSWER_SHOWN) + "…";
    String why = to + " answered " + status + (shown.isEmpty() ? "" : ": " + shown);
    boolean aboutTheBody = status >= 400 && status < 500 && !NOT_ABOUT_THE_BODY.contains(status);
    return aboutTheBody ? new Outcome.Refused(why) : new Outcome.Unclear(why);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
