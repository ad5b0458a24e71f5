package dev.drydock.platform.http;

import com.linkedin.common.callback.Callback;
import com.linkedin.r2.message.RequestContext;
import com.linkedin.r2.message.rest.RestRequest;
import com.linkedin.r2.message.rest.RestRequestBuilder;
import com.linkedin.r2.message.rest.RestResponse;
import com.linkedin.restli.server.RestLiServer;
import dev.drydock.platform.identity.Caller;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Hands requests under /api to Rest.li and its answers back, without a servlet between them. The
 * path stays as it came, never decoded, since keys may hold an encoded slash. A call runs on the
 * virtual thread of its request; one that waits for something is answered by another, later, and
 * counts no longer among the calls under way.
 */
final class RestLiBridge extends Handler.Abstract {
  private static final String PREFIX = "/api";

  /** Rest.li answers many calls in one here; nobody needs it. */
  private static final String MULTIPLEXER = PREFIX + "/mux";

  private static final String VERSION_HEADER = "X-RestLi-Protocol-Version";
  private static final String VERSION = "2.0.0";
  private static final int CALLS_MAX = 256;

  private final RestLiServer server;
  private final Semaphore calls = new Semaphore(CALLS_MAX);

  RestLiBridge(RestLiServer server) {
    this.server = server;
  }

  @Override
  public boolean handle(
      Request request, Response response, org.eclipse.jetty.util.Callback callback)
      throws IOException {
    String raw = request.getHttpURI().getPathQuery();
    if (!raw.startsWith(PREFIX + "/") || raw.startsWith(MULTIPLEXER)) {
      return false;
    }
    Reply reply = new Reply(response, callback);
    String version = request.getHeaders().get(VERSION_HEADER);
    if (version != null && !version.equals(VERSION)) {
      reply.error(
          ErrorBody.of(
              HttpStatus.BAD_REQUEST,
              "PROTOCOL_VERSION",
              VERSION_HEADER + " is " + version + ", must be " + VERSION + "."));
      return true;
    }
    if (!calls.tryAcquire()) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
      reply.error(
          ErrorBody.of(
              HttpStatus.UNAVAILABLE,
              "BUSY",
              "The server has " + CALLS_MAX + " calls under way; try again in a second."));
      return true;
    }
    try {
      call(request, raw, reply);
    } finally {
      calls.release();
    }
    return true;
  }

  private void call(Request request, String raw, Reply reply) throws IOException {
    URI uri;
    try {
      uri = new URI(raw.substring(PREFIX.length()));
    } catch (URISyntaxException malformed) {
      reply.error(
          ErrorBody.of(
              HttpStatus.BAD_REQUEST,
              "BAD_URI",
              "The path or query is not a valid URI at character " + malformed.getIndex() + "."));
      return;
    }
    ByteBuffer body = Content.Source.asByteBuffer(request);
    byte[] bytes = new byte[body.remaining()];
    body.get(bytes);
    RestRequest meant;
    try {
      meant = QueryTunnel.open(restRequest(request, uri, bytes));
    } catch (ApiException refused) {
      reply.error(ErrorBody.of(refused));
      return;
    }
    RequestContext context = new RequestContext();
    context.putLocalAttr("REMOTE_ADDR", Request.getRemoteAddr(request));
    context.putLocalAttr(Caller.ATTRIBUTE, request.getAttribute(Caller.ATTRIBUTE));
    context.putLocalAttr(StrictFilter.BODY, meant.getEntity().asString(StandardCharsets.UTF_8));
    server.handleRequest(meant, context, reply);
  }

  private static RestRequest restRequest(Request request, URI uri, byte[] body) {
    RestRequestBuilder builder = new RestRequestBuilder(uri).setMethod(request.getMethod());
    for (HttpField field : request.getHeaders()) {
      boolean secret =
          field.getHeader() == HttpHeader.AUTHORIZATION || field.getHeader() == HttpHeader.COOKIE;
      if (!secret) {
        builder.addHeaderValue(field.getName(), field.getValue());
      }
    }
    builder.setHeader(VERSION_HEADER, VERSION);
    return builder.setEntity(body).build();
  }

  /** Answers once: Rest.li calls back a second time after malformed JSON. */
  private static final class Reply implements Callback<RestResponse> {
    private final Response response;
    private final org.eclipse.jetty.util.Callback callback;
    private final AtomicBoolean answered = new AtomicBoolean();

    Reply(Response response, org.eclipse.jetty.util.Callback callback) {
      this.response = response;
      this.callback = callback;
    }

    @Override
    public void onSuccess(RestResponse answer) {
      if (answered.compareAndSet(false, true)) {
        response.setStatus(answer.getStatus());
        answer.getHeaders().forEach((name, value) -> response.getHeaders().put(name, value));
        String location = answer.getHeader("Location");
        if (location != null && location.startsWith("/")) {
          response.getHeaders().put(HttpHeader.LOCATION, PREFIX + location);
        }
        response.write(true, answer.getEntity().asByteBuffer(), callback);
      }
    }

    @Override
    public void onError(Throwable thrown) {
      if (answered.compareAndSet(false, true)) {
        ErrorMapping.body(thrown).write(response, callback);
      }
    }

    void error(ErrorBody body) {
      if (answered.compareAndSet(false, true)) {
        body.write(response, callback);
      }
    }
  }
}
