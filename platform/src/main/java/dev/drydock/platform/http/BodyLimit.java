package dev.drydock.platform.http;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.util.Callback;

/** Refuses bodies of too many bytes; a client that declares one is heard out before its answer. */
final class BodyLimit extends SizeLimitHandler {
  private final int bytesMax;

  BodyLimit(int bytesMax) {
    super(bytesMax, -1);
    this.bytesMax = bytesMax;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (request.getLength() > bytesMax) {
      refusal(bytesMax).write(response, callback);
      return true;
    }
    return super.handle(request, response, callback);
  }

  static ErrorBody refusal(int bytesMax) {
    return ErrorBody.of(
        HttpStatus.PAYLOAD_TOO_LARGE,
        "BODY_TOO_LARGE",
        "The body has more than the " + bytesMax + " bytes allowed; send it in parts.");
  }
}
