package dev.drydock.platform.http;

import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Serves a {@link PostRoute}. */
final class PostHandler extends Handler.Abstract {
  private final PostRoute route;

  PostHandler(PostRoute route) {
    this.route = route;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws IOException {
    if (!request.getHttpURI().getPath().equals(route.path())) {
      return false;
    }
    if (!request.getMethod().equals("POST")) {
      response.getHeaders().put(HttpHeader.ALLOW, "POST");
      ErrorBody.of(
              HttpStatus.METHOD_NOT_ALLOWED,
              "METHOD_NOT_ALLOWED",
              route.path() + " only takes a POST.")
          .write(response, callback);
      return true;
    }
    if (!(request.getAttribute(Caller.ATTRIBUTE) instanceof Principal caller)) {
      throw new IllegalStateException("a request came this far without a principal");
    }
    try {
      PostRoute.Reply reply =
          route.poster().post(new PostRoute.Message(caller, headers(request), body(request)));
      response.setStatus(reply.status());
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
      response.write(
          true, ByteBuffer.wrap(reply.json().getBytes(StandardCharsets.UTF_8)), callback);
    } catch (RuntimeException failed) {
      ErrorMapping.body(failed).write(response, callback);
    }
    return true;
  }

  private static String body(Request request) throws IOException {
    return StandardCharsets.UTF_8.decode(Content.Source.asByteBuffer(request)).toString();
  }

  private static Map<String, String> headers(Request request) {
    Map<String, String> headers = new HashMap<>();
    for (HttpField field : request.getHeaders()) {
      String value = field.getValue();
      headers.putIfAbsent(field.getName().toLowerCase(Locale.ROOT), value == null ? "" : value);
    }
    return headers;
  }
}
