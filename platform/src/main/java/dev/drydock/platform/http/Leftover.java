package dev.drydock.platform.http;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** The body that a client still sends although its answer is known. */
final class Leftover {
  private static final long BYTES_MAX = 16L * 1024 * 1024;

  private Leftover() {}

  /**
   * Reads it and throws it away: a client that is hung up on while it sends may never see the
   * answer. Not one that asks before it sends (it need not send), nor one without an end.
   *
   * @return whether the body was read to its end
   */
  static boolean read(Request request) {
    if (request.getHeaders().contains(HttpHeader.EXPECT)) {
      return false;
    }
    try {
      InputStream body = Content.Source.asInputStream(request);
      return body.skip(BYTES_MAX) < BYTES_MAX;
    } catch (IOException brokenOff) {
      return false;
    }
  }
}
