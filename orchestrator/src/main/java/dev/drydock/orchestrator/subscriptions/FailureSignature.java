package dev.drydock.orchestrator.subscriptions;

import java.util.regex.Pattern;

/** Tells failures apart by their kind: hosts that failed alike have the same. */
final class FailureSignature {
  private static final int LENGTH_MAX = 200;

  private static final Pattern NUMBER =
      Pattern.compile("(?<![A-Za-z0-9])(0x)?[0-9][0-9A-Fa-f]*(\\.[0-9]+)*");

  private FailureSignature() {}

  /** The message without the host's name and without numbers, behind the step it failed in. */
  static String of(String step, String message, String host) {
    String alike = message.replaceAll("(?<![\\w.-])" + Pattern.quote(host) + "(?![\\w-])", "HOST");
    String words = step + ": " + NUMBER.matcher(alike).replaceAll("N").strip();
    return words.length() <= LENGTH_MAX ? words : words.substring(0, LENGTH_MAX);
  }
}
