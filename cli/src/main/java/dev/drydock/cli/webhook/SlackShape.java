package dev.drydock.cli.webhook;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** For people in a channel: one line of what happened, why, and where to look. */
final class SlackShape implements BodyShape {
  /** Slack takes three thousand characters in a block. */
  private static final int QUOTE_MAX = 2000;

  @Override
  public Optional<Map<String, Object>> tree(Message message) {
    List<Object> blocks = new ArrayList<>();
    StringBuilder text = new StringBuilder("*<" + message.link() + "|");
    text.append(escaped(message.headline())).append(">*");
    if (!message.applications().isEmpty()) {
      text.append(" (").append(escaped(String.join(", ", message.applications()))).append(')');
    }
    if (!message.reason().isEmpty()) {
      text.append("\n>").append(escaped(cut(message.reason()).replace('\n', ' ')));
    }
    message
        .failure()
        .ifPresent(
            failure -> text.append("\n`").append(escaped(failure.getSignature())).append('`'));
    blocks.add(Map.of("type", "section", "text", mrkdwn(text.toString())));
    message
        .silence()
        .ifPresent(
            silence ->
                blocks.add(
                    Map.of(
                        "type", "context", "elements", List.of(mrkdwn(escaped(span(silence)))))));
    return Optional.of(Map.of("text", escaped(message.headline()), "blocks", blocks));
  }

  private static String span(Message.Silence silence) {
    return silence.ended()
        ? "%s was worked on from %s to %s: alerts about it count again"
            .formatted(silence.host(), silence.from(), silence.until())
        : "alerts about %s may be silenced from %s, until %s at the latest"
            .formatted(silence.host(), silence.from(), silence.until());
  }

  private static Map<String, Object> mrkdwn(String text) {
    return Map.of("type", "mrkdwn", "text", text);
  }

  private static String cut(String text) {
    return text.length() <= QUOTE_MAX ? text : text.substring(0, QUOTE_MAX) + "…";
  }

  /** The three characters that Slack reads as its own. */
  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
