package dev.drydock.cli;

import java.time.Duration;
import java.util.List;

/** Small texts for people. */
final class TextFormat {
  private TextFormat() {}

  /** 75 s as 1m15s. */
  static String duration(long millis) {
    long seconds = Math.max(0, millis) / 1000;
    if (seconds < 60) {
      return seconds + "s";
    }
    return seconds < 3600
        ? String.format("%dm%02ds", seconds / 60, seconds % 60)
        : String.format("%dh%02dm", seconds / 3600, seconds / 60 % 60);
  }

  /** The text for telling a change: that something is older by a second is none. */
  static String withoutAges(String text) {
    return text.replaceAll("\\b\\d+ s\\b", "s");
  }

  static String canaries(String policy, List<String> hosts, Duration soak) {
    return "canaries of policy %s: %s, then %s"
        .formatted(policy, String.join(", ", hosts), duration(soak.toMillis()));
  }

  static String hosts(int count) {
    return count == 1 ? "1 host" : count + " hosts";
  }

  /** The text, or its start when it does not fit. */
  static String fit(String text, int width) {
    return text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
  }
}
