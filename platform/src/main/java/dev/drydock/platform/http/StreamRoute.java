package dev.drydock.platform.http;

import dev.drydock.platform.identity.Role;
import java.util.Set;

/**
 * A stream and where it is.
 *
 * @param path such as /api/stream
 * @param allowed roles that may read it, beside administrators; the equivalent of {@link
 *     dev.drydock.platform.identity.Allow}
 */
public record StreamRoute(String path, Set<Role> allowed, StreamSource source) {
  public StreamRoute {
    allowed = Set.copyOf(allowed);
  }
}
