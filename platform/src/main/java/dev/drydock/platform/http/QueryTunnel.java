package dev.drydock.platform.http;

import com.linkedin.r2.message.QueryTunnelUtil;
import com.linkedin.r2.message.rest.RestRequest;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.mail.MessagingException;

/**
 * Unpacks a request whose query was too long for a request line: a POST that says in a header which
 * method it really is, with the query as its body, or with query and body as two parts. From here
 * on it is that other request: what its caller may do is judged by that one.
 */
final class QueryTunnel {
  private static final String HEADER = "X-HTTP-Method-Override";
  private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "DELETE");
  private static final List<String> FORMS =
      List.of("application/x-www-form-urlencoded", "multipart/mixed");

  private QueryTunnel() {}

  /**
   * The request as it was meant; one that is not tunnelled as it is.
   *
   * @throws ApiException 400 if it cannot be unpacked
   */
  static RestRequest open(RestRequest request) {
    String method = request.getHeader(HEADER);
    if (method == null) {
      return request;
    }
    if (!request.getMethod().equals("POST")) {
      throw refused(HEADER + " is taken only with POST, this is a " + request.getMethod() + ".");
    }
    if (!METHODS.contains(method)) {
      throw refused(HEADER + " must be GET, POST, PUT or DELETE.");
    }
    String form = String.valueOf(request.getHeader("Content-Type"));
    if (FORMS.stream().noneMatch(form.toLowerCase(Locale.ROOT)::startsWith)) {
      throw refused(
          "With " + HEADER + " the Content-Type must be " + String.join(" or ", FORMS) + ".");
    }
    try {
      return QueryTunnelUtil.decode(request);
    } catch (MessagingException | IOException | URISyntaxException | ClassCastException bad) {
      throw refused(
          "The body is not a query, or query and body in two parts, as "
              + HEADER
              + " promises with this Content-Type.");
    }
  }

  private static ApiException refused(String message) {
    return new ApiException(HttpStatus.BAD_REQUEST, "BAD_TUNNEL", message, List.of());
  }
}
