package dev.drydock.platform.http;

import dev.drydock.platform.identity.Authenticator;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Lets nobody pass without a token, except to ask whether the server lives. */
final class AuthenticationHandler extends Handler.Wrapper {
  private static final Set<String> OPEN = Set.of("/healthz", "/readyz");
  private static final String SCHEME = "Bearer ";

  private final Authenticator authenticator;

  AuthenticationHandler(Authenticator authenticator, Handler next) {
    super(next);
    this.authenticator = authenticator;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    // The raw path: a decoded one could look open and lead elsewhere.
    if (OPEN.contains(request.getHttpURI().getPath())) {
      return super.handle(request, response, callback);
    }
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    boolean given = header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    Optional<Principal> principal =
        given && header != null
            ? authenticator.authenticate(header.substring(SCHEME.length()).strip())
            : Optional.empty();
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
}
