package dev.drydock.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** The body that a client still sends although its answer is known. */
final class UnreadBody {
  private static final int BYTES_MAX = 16 * 1024 * 1024;
  private static final Duration TIME_MAX = Duration.ofSeconds(10);
  private static final int PIECE_BYTES = 8 * 1024;

  private UnreadBody() {}

  /**
   * Reads it and throws it away: a client that is hung up on while it sends may never see the
   * answer. Not one that asks before it sends (it need not send), nor one that has not come to an
   * end after ten seconds; one that falls silent is waited for as long as an idle connection.
   *
   * @return whether the body was read to its end
   */
  static boolean read(Request request) {
    return read(request, TIME_MAX);
  }

  static boolean read(Request request, Duration atMost) {
    long begun = System.nanoTime();
    InputStream body = Content.Source.asInputStream(request);
    byte[] piece = new byte[PIECE_BYTES];
    try {
      for (int left = BYTES_MAX; left > 0 && System.nanoTime() - begun < atMost.toNanos(); ) {
        int read = body.read(piece, 0, Math.min(left, piece.length));
        if (read < 0) {
          return true;
        }
        left -= read;
      }
      return false;
    } catch (IOException brokenOff) {
      return false;
    }
  }
}
