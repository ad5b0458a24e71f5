package dev.drydock.proto.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Where the server is, who asks, and how long to wait.
 *
 * @param url the server's base URL, without {@code /api}
 * @param tokenFile a file that holds only the bearer token; read anew for every call, so a token
 *     can be replaced
 * @param connectTimeout limit for opening a connection
 * @param callTimeout limit for one attempt, from sending to the last byte of the answer
 * @param retryBudget how long an idempotent call is repeated while the server does not answer; zero
 *     repeats nothing
 */
public record ClientConfig(
    URI url, Path tokenFile, Duration connectTimeout, Duration callTimeout, Duration retryBudget) {

  /** Two seconds to connect, ten for an answer, ten of retries. */
  public static ClientConfig of(URI url, Path tokenFile) {
    return new ClientConfig(
        url, tokenFile, Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(10));
  }

  public ClientConfig withRetryBudget(Duration budget) {
    return new ClientConfig(url, tokenFile, connectTimeout, callTimeout, budget);
  }

  public ClientConfig withCallTimeout(Duration timeout) {
    return new ClientConfig(url, tokenFile, connectTimeout, timeout, retryBudget);
  }
}
