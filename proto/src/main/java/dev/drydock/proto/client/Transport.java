package dev.drydock.proto.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends calls with time-outs, and repeats those that may be repeated within their budget.
 * Thread-safe.
 */
final class Transport implements AutoCloseable {
  private static final long ANSWER_LIMIT_BYTES = 64L << 20;

  /** What every proxy and server takes as a request line; a longer query travels as a body. */
  private static final int URI_CHARS_MAX = 4096;

  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final ClientConfig config;
  private final String base;
  private final HttpClient http;

  Transport(ClientConfig config) {
    this.config = config;
    String url = config.url().toString();
    this.base = (url.endsWith("/") ? url : url + "/") + "api/";
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(config.connectTimeout())
            .build();
  }

  /** The successful answer. Anything else is a {@link CallException}. */
  ServerResponse send(Call call) {
    long end = System.nanoTime() + call.retryBudget().toNanos();
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      try {
        ServerResponse serverResponse = sendOnce(call);
        if (serverResponse.isOk()) {
          return serverResponse;
        }
        throw serverResponse.error(call.method() + " " + call.path());
      } catch (CallException e) {
        long waited = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
        if (!e.isTemporary() || System.nanoTime() + waited * 1_000_000 >= end) {
          throw e;
        }
        pause(waited);
        pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
      }
    }
  }

  private ServerResponse sendOnce(Call call) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(
            request(call), BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_LIMIT_BYTES));
    Duration longest = config.callTimeout().plus(call.serverWaits());
    try {
      // The request's own time-out would end at the headers; this one covers the body as well.
      HttpResponse<byte[]> got = sent.get(longest.toMillis(), TimeUnit.MILLISECONDS);
      return new ServerResponse(
          got.statusCode(), got.body(), got.headers().firstValue("X-RestLi-Id"));
    } catch (TimeoutException e) {
      sent.cancel(true);
      String message = config.url() + " did not answer within " + seconds(longest);
      throw new CallException(CallException.TIMED_OUT, message, e);
    } catch (ExecutionException e) {
      String why = e.getCause() == null ? "" : ": " + describe(e.getCause());
      throw new CallException(CallException.UNREACHABLE, "cannot reach " + config.url() + why, e);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new CallException(
          CallException.INTERRUPTED, "interrupted while waiting for " + config.url(), e);
    }
  }

  private HttpRequest request(Call call) {
    String body = call.body();
    int query = call.path().indexOf('?');
    if (body == null && query >= 0 && base.length() + call.path().length() > URI_CHARS_MAX) {
      return builder(call.path().substring(0, query))
          .header("X-HTTP-Method-Override", call.method())
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(BodyPublishers.ofString(call.path().substring(query + 1)))
          .build();
    }
    if (body == null) {
      return builder(call.path()).method(call.method(), BodyPublishers.noBody()).build();
    }
    return builder(call.path())
        .header("Content-Type", "application/json")
        .method(call.method(), BodyPublishers.ofString(body))
        .build();
  }

  private HttpRequest.Builder builder(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .header("Authorization", "Bearer " + token())
        .header("X-RestLi-Protocol-Version", "2.0.0")
        .header("Accept", "application/json");
  }

  private String token() {
    String token;
    try {
      token = Files.readString(config.tokenFile()).strip();
    } catch (IOException e) {
      String message = "cannot read the token file " + config.tokenFile() + ": " + describe(e);
      throw new CallException(CallException.NO_TOKEN, message, e);
    }
    if (!token.matches("[\\x21-\\x7e]+")) {
      String message =
          "the token file " + config.tokenFile() + " must hold one token and nothing else";
      throw new CallException(CallException.NO_TOKEN, message, new IOException("not a token"));
    }
    return token;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallException(CallException.INTERRUPTED, "interrupted before the next attempt", e);
    }
  }

  private static String describe(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  private static String seconds(Duration duration) {
    return duration.toMillis() / 1000.0 + " s";
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
