package dev.drydock.platform.http;

import com.linkedin.restli.server.RestLiServiceException;
import com.linkedin.restli.server.RoutingException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever came out of Rest.li into an answer that says enough and never too much. */
final class ErrorMapping {
  private static final Logger log = LoggerFactory.getLogger(ErrorMapping.class);
  private static final int CAUSES_MAX = 16;

  private ErrorMapping() {}

  static ErrorBody body(Throwable thrown) {
    Optional<ApiException> expected = find(thrown, ApiException.class);
    if (expected.isPresent()) {
      return ErrorBody.of(expected.get());
    }
    Optional<RoutingException> routing = find(thrown, RoutingException.class);
    if (routing.isPresent()) {
      return refused(routing.get().getStatus(), text(routing.get()));
    }
    Optional<RestLiServiceException> refused = find(thrown, RestLiServiceException.class);
    if (refused.isPresent() && refused.get().getStatus().getCode() < 500) {
      return refused(refused.get().getStatus().getCode(), text(refused.get()));
    }
    return internal(thrown, log);
  }

  /** An error of ours: the client gets a number, the log gets the rest. */
  static ErrorBody internal(Throwable thrown, Logger logger) {
    String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()).substring(0, 8);
    logger.error("error {} while answering a request", id, thrown);
    return ErrorBody.of(
        HttpStatus.INTERNAL_ERROR,
        "INTERNAL_ERROR",
        "Something went wrong inside Drydock; the server's log has it as error " + id + ".");
  }

  /** Rest.li names Java classes in these messages, so only their kind is passed on. */
  private static ErrorBody refused(int status, String message) {
    String lower = message.toLowerCase(Locale.ROOT);
    if (status == 404) {
      return ErrorBody.of(
          HttpStatus.NOT_FOUND, "NOT_FOUND", "There is no such object or resource.");
    }
    if (lower.contains("not supported for resource") || lower.contains("not supported on")) {
      return ErrorBody.of(
          HttpStatus.METHOD_NOT_ALLOWED,
          "METHOD_NOT_ALLOWED",
          "The resource has no such operation; check method, action and finder.");
    }
    System.err.println("XX " + status + " " + message);
    return new ErrorBody(status, "BAD_REQUEST", message, java.util.List.of());
  }

  private static String text(Throwable thrown) {
    return String.valueOf(thrown.getMessage());
  }

  private static <T extends Throwable> Optional<T> find(Throwable thrown, Class<T> wanted) {
    Throwable current = thrown;
    for (int depth = 0; current != null && depth < CAUSES_MAX; depth++) {
      if (wanted.isInstance(current)) {
        return Optional.of(wanted.cast(current));
      }
      current = current.getCause();
    }
    return Optional.empty();
  }
}
