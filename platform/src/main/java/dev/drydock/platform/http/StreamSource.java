package dev.drydock.platform.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a stream of server-sent events shows. Implementations are safe for use by many threads. */
public interface StreamSource {
  /**
   * A stream for one client.
   *
   * @throws ApiException answered to the client as it stands, before any stream begins
   */
  OpenStream open(Wish wish);

  /**
   * What the client asks for.
   *
   * @param parameters of the query, decoded, by name
   * @param lastEventId where an earlier stream of it ended
   */
  record Wish(Map<String, List<String>> parameters, Optional<String> lastEventId) {
    public Wish {
      parameters = Map.copyOf(parameters);
    }

    /** The values of a parameter in their order; none if it is not given. */
    public List<String> values(String name) {
      return parameters.getOrDefault(name, List.of());
    }
  }

  /** One event on the wire; none of its texts has a line break. */
  record Frame(String id, String event, String data) {}

  /** A stream that is asked for more whenever its client has taken what there was. */
  interface OpenStream extends AutoCloseable {
    /**
     * The next frames; few enough to be held in memory. If there are none now, {@code ready} is
     * called as soon as there may be, by a thread that must not be kept. Called by one thread at a
     * time.
     *
     * @throws RuntimeException ends the stream; the client comes back with its last id
     */
    List<Frame> next(Runnable ready);

    @Override
    void close();
  }
}
