package dev.drydock.orchestrator.api;

import dev.drydock.orchestrator.intake.FreeText;
import dev.drydock.platform.http.ApiException;
import java.util.List;
import java.util.regex.Pattern;

/** Texts from outside, before they meet the database, which stores no NUL. */
final class InputText {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,400}");
  private static final Pattern SHORT = Pattern.compile("[^\\p{Cntrl}\\p{Cs}]{1,200}");

  private InputText() {}

  /** The id of a rollout or job; whatever else was sent names nothing. */
  static String id(String sent, String code) {
    if (!ID.matcher(sent).matches()) {
      throw ApiException.notFound(code, "there is nothing with this id");
    }
    return sent;
  }

  /** Why somebody wants something, for everybody who sees it. */
  static String reason(String sent) {
    if (!FreeText.fits(sent)) {
      throw ApiException.invalid("INVALID_TEXT", "reason " + FreeText.MUST, List.of());
    }
    return sent;
  }

  static boolean isShortText(String sent) {
    return SHORT.matcher(sent).matches();
  }

  /** Whether a JSON text has a NUL in one of its strings. */
  static boolean hasNul(String json) {
    return json.contains("\\u0000") || json.indexOf('\0') >= 0;
  }
}
