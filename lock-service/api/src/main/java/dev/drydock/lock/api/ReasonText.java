package dev.drydock.lock.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.api.ErrorDetail;
import dev.drydock.platform.http.ApiException;
import java.util.List;
import java.util.Optional;

/**
 * What somebody may give as a reason: a text that whoever waits can read on any terminal, and that
 * every store keeps as it is.
 */
final class ReasonText {
  private static final int CHARACTERS_MAX = 500;

  private ReasonText() {}

  /**
   * Accepts the reason.
   *
   * @param code of the error otherwise
   * @param what needs a reason, as the error says it
   */
  static void require(String reason, String code, String what) {
    fault(reason)
        .ifPresent(
            fault -> {
              throw ApiException.invalid(
                  code, what + " needs a reason in words; see details.", List.of(fault));
            });
  }

  /** What is wrong with it. */
  static Optional<ErrorDetail> fault(String reason) {
    if (reason.isBlank() || reason.length() > CHARACTERS_MAX) {
      return Optional.of(
          ApiException.detail(
              "reason", "has to say why, in 1 to " + CHARACTERS_MAX + " characters"));
    }
    return isText(reason)
        ? Optional.empty()
        : Optional.of(
            ApiException.detail(
                "reason", "has a character that is no text, such as NUL, or half of one"));
  }

  private static boolean isText(String text) {
    return text.chars().noneMatch(c -> Character.isISOControl(c) && !Character.isWhitespace(c))
        && UTF_8.newEncoder().canEncode(text);
  }
}
