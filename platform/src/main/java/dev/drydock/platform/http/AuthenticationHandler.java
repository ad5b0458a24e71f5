package dev.drydock.platform.http;

import dev.drydock.platform.identity.Authenticator;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Lets nobody pass without a token, except to ask whether the server lives. */
final class AuthenticationHandler extends Handler.Wrapper {
  private static final Set<String> OPEN = Set.of("/healthz", "/readyz");
  private static final String SCHEME = "Bearer ";

  private static final String BASIC = "Basic ";

  private final Authenticator authenticator;
  private final Set<String> basic;

  /**
   * In front of {@code next}.
   *
   * @param basic paths whose callers may send the token as the password of Basic authentication
   */
  AuthenticationHandler(Authenticator authenticator, Set<String> basic, Handler next) {
    super(next);
    this.authenticator = authenticator;
    this.basic = Set.copyOf(basic);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    // The raw path: a decoded one could look open and lead elsewhere.
    if (OPEN.contains(request.getHttpURI().getPath())) {
      return super.handle(request, response, callback);
    }
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    Optional<String> token = token(header, basic.contains(request.getHttpURI().getPath()));
    boolean given = token.isPresent();
    Optional<Principal> principal = token.flatMap(authenticator::authenticate);
    if (principal.isPresent()) {
      request.setAttribute(Caller.ATTRIBUTE, principal.get());
      return super.handle(request, response, callback);
    }
    response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
    String message =
        given
            ? "Nobody has this token; check the token file."
            : "The call has no token; send Authorization: Bearer TOKEN.";
    ErrorBody.of(HttpStatus.UNAUTHORIZED, given ? "WRONG_TOKEN" : "NO_TOKEN", message)
        .write(response, callback);
    return true;
  }

  private static Optional<String> token(@Nullable String header, boolean basic) {
    if (header == null) {
      return Optional.empty();
    }
    if (header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.of(header.substring(SCHEME.length()).strip());
    }
    if (basic && header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return password(header.substring(BASIC.length()).strip());
    }
    return Optional.empty();
  }

  private static Optional<String> password(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return Optional.of(pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }
}
