package dev.drydock.platform.http;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** One path that answers a GET with a text. */
final class TextHandler extends Handler.Abstract {
  private final String path;
  private final Supplier<Page> pages;

  /** What to answer. */
  record Page(int status, String contentType, byte[] body) {}

  TextHandler(String path, Supplier<Page> pages) {
    this.path = path;
    this.pages = pages;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!request.getHttpURI().getPath().equals(path)) {
      return false;
    }
    if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
      response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
      ErrorBody.of(HttpStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", path + " can only be read.")
          .write(response, callback);
      return true;
    }
    Page page = pages.get();
    response.setStatus(page.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, page.contentType());
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    response.write(true, ByteBuffer.wrap(page.body()), callback);
    return true;
  }
}
