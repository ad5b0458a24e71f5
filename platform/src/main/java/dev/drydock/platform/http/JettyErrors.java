package dev.drydock.platform.http;

import java.util.Locale;
import org.eclipse.jetty.http.HttpStatus.Code;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives errors that Jetty itself finds, such as a body that is too large, the shape of all others.
 */
final class JettyErrors implements Request.Handler {
  private static final Logger log = LoggerFactory.getLogger(JettyErrors.class);

  private final int bodyBytesMax;

  JettyErrors(int bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status =
        request.getAttribute(ErrorHandler.ERROR_STATUS) instanceof Integer known ? known : 500;
    body(request, status).write(response, callback);
    return true;
  }

  private ErrorBody body(Request request, int status) {
    if (status == HttpStatus.PAYLOAD_TOO_LARGE.code()) {
      return BodyLimit.refusal(bodyBytesMax);
    }
    if (status == HttpStatus.NOT_FOUND.code()) {
      return ErrorBody.of(
          HttpStatus.NOT_FOUND, "NO_SUCH_PATH", "There is nothing here; the API is under /api.");
    }
    Object cause = request.getAttribute(ErrorHandler.ERROR_EXCEPTION);
    if (status >= HttpStatus.INTERNAL_ERROR.code() && cause instanceof Throwable thrown) {
      return ErrorMapping.internal(thrown, log);
    }
    Code known = Code.INTERNAL_SERVER_ERROR;
    for (Code code : Code.values()) {
      if (code.getCode() == status) {
        known = code;
      }
    }
    String word = known.getMessage();
    return new ErrorBody(
        status,
        word.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_"),
        "The request was refused by the HTTP server: " + word + ".",
        java.util.List.of());
  }
}
