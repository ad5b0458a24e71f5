package dev.drydock.platform.http;

import dev.drydock.platform.identity.Principal;
import java.util.Map;

/**
 * A path outside the resources that takes a POST of JSON, for a protocol that is not ours: what is
 * answered, errors included, is that protocol's.
 *
 * @param path such as /v1/pre-reboot; callers may also send their token as the password of Basic
 *     authentication, since clients of other protocols often know nothing else
 */
public record PostRoute(String path, Poster poster) {

  /** Answers calls; may block, each call has a thread of its own. */
  @FunctionalInterface
  public interface Poster {
    Reply post(Message message);
  }

  /**
   * One call.
   *
   * @param headers by lower-case name
   */
  public record Message(Principal principal, Map<String, String> headers, String body) {
    public Message {
      headers = Map.copyOf(headers);
    }
  }

  /** What to answer. */
  public record Reply(int status, String json) {}
}
