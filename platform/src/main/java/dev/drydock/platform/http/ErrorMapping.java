package dev.drydock.platform.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.linkedin.restli.server.RestLiServiceException;
import com.linkedin.restli.server.RoutingException;
import dev.drydock.api.ErrorDetail;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever came out of Rest.li into an answer that says enough and never too much. */
final class ErrorMapping {
  private static final Logger log = LoggerFactory.getLogger(ErrorMapping.class);
  private static final int CAUSES_MAX = 16;
  private static final Pattern NO_SUCH_OPERATION = Pattern.compile("not supported (for|on) ");
  private static final Pattern PARAMETER_FAULT = Pattern.compile("ERROR :: /(\\S+) :: ([^\\n]+)");

  private ErrorMapping() {}

  static ErrorBody body(Throwable thrown) {
    Optional<ApiException> expected = find(thrown, ApiException.class);
    if (expected.isPresent()) {
      return ErrorBody.of(expected.get());
    }
    Optional<JsonProcessingException> malformed = find(thrown, JsonProcessingException.class);
    if (malformed.isPresent()) {
      return malformed(malformed.get());
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
    String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    logger.error("error {} while answering a request", id, thrown);
    return ErrorBody.of(
        HttpStatus.INTERNAL_ERROR,
        "INTERNAL_ERROR",
        "Something went wrong inside Drydock; the server's log has it as error " + id + ".");
  }

  private static ErrorBody malformed(JsonProcessingException cause) {
    JsonLocation place = cause.getLocation();
    String where =
        place == null ? "" : " at line " + place.getLineNr() + ", column " + place.getColumnNr();
    return ErrorBody.of(
        HttpStatus.BAD_REQUEST, "MALFORMED_JSON", "The body is not JSON" + where + ".");
  }

  private static ErrorBody refused(int status, String message) {
    if (status == HttpStatus.NOT_FOUND.code()) {
      return ErrorBody.of(
          HttpStatus.NOT_FOUND, "NOT_FOUND", "There is no such object or resource.");
    }
    // Rest.li says 400 where HTTP says 405, and names Java classes while at it.
    if (NO_SUCH_OPERATION.matcher(message).find()) {
      return ErrorBody.of(
          HttpStatus.METHOD_NOT_ALLOWED,
          "METHOD_NOT_ALLOWED",
          "The resource has no such operation; check method, action and finder.");
    }
    if (message.startsWith("Cannot parse request entity")) {
      return ErrorBody.of(
          HttpStatus.BAD_REQUEST, "MALFORMED_JSON", "The body is not a JSON object.");
    }
    List<ErrorDetail> details =
        PARAMETER_FAULT
            .matcher(message)
            .results()
            .map(fault -> ApiException.detail(fault.group(1).replace('/', '.'), fault.group(2)))
            .toList();
    if (!details.isEmpty()) {
      return new ErrorBody(
          HttpStatus.UNPROCESSABLE.code(),
          "INVALID_REQUEST",
          "The request does not match its schema; see details.",
          details);
    }
    return new ErrorBody(
        status, status == 422 ? "INVALID_REQUEST" : "BAD_REQUEST", message, List.of());
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
