package dev.drydock.platform.http;

import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.util.resource.Resources;

/**
 * The console: files of the class path, open to everybody, since they hold nothing but programs. A
 * page the browser asks for that is no file is a route inside the console and gets its index. Never
 * touches the paths of the server itself.
 */
final class ConsoleHandler extends Handler.Wrapper {
  private static final String FOLDER = "console/";
  private static final String INDEX = "/index.html";
  private static final Pattern OF_SERVER =
      Pattern.compile("/(api|metrics|healthz|readyz)([/;].*)?");

  /** Files here have the digest of their content in their name. */
  private static final String HASHED = "/assets/";

  private static final String FOREVER = "public, max-age=31536000, immutable";

  /** Not "no-cache": all files of a reproducible jar are of one age, so none can be revalidated. */
  private static final String NEVER = "no-store";

  private static final Map<String, String> GUARDS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
              + " img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none';"
              + " form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()");

  private final Resource files;

  /**
   * Serves the console of the class path.
   *
   * @throws IllegalStateException if there is none
   */
  ConsoleHandler() {
    files = ResourceFactory.of(this).newClassLoaderResource(FOLDER);
    if (!Resources.exists(files)) {
      throw new IllegalStateException("the class path has no " + FOLDER + ": build module web-ui");
    }
    ResourceHandler served = new ResourceHandler();
    served.setBaseResource(files);
    served.setPrecompressedFormats(CompressedContentFormat.GZIP);
    served.setDirAllowed(false);
    setHandler(served);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    String raw = request.getHttpURI().getPath();
    boolean reads = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    if (!reads || OF_SERVER.matcher(raw).matches()) {
      return false;
    }
    if (isFile(request)) {
      return serve(request, response, callback, raw.startsWith(HASHED) ? FOREVER : NEVER);
    }
    if (raw.equals("/") || isNavigation(request)) {
      HttpURI index = HttpURI.build(request.getHttpURI()).path(INDEX).asImmutable();
      return serve(Request.serveAs(request, index), response, callback, NEVER);
    }
    return false;
  }

  private boolean serve(Request request, Response response, Callback callback, String cached)
      throws Exception {
    GUARDS.forEach(response.getHeaders()::put);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, cached);
    return super.handle(request, response, callback);
  }

  private boolean isFile(Request request) {
    return Resources.isReadableFile(files.resolve(Request.getPathInContext(request).substring(1)));
  }

  /** A browser that opens a page; programs that are in the wrong place get the API's answer. */
  private static boolean isNavigation(Request request) {
    String accepted = request.getHeaders().get(HttpHeader.ACCEPT);
    return accepted != null && accepted.contains("text/html");
  }
}
