package dev.drydock.cli.webhook;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * For whoever repairs machines: a ticket per host that its rollout gave up, with all that was found
 * and tried, closed when the host is free again. A host has one at a time, under the same key; one
 * that was never opened may be closed.
 */
final class TicketShape implements BodyShape {

  @Override
  public Optional<Map<String, Object>> tree(Message message) {
    return message
        .host()
        .flatMap(
            host ->
                switch (message.kind()) {
                  case "HostQuarantined" -> Optional.of(opened(message, host));
                  case "LockEnded" -> Optional.of(closed(message, host));
                  default -> Optional.empty();
                });
  }

  private static Map<String, Object> opened(Message message, String host) {
    Map<String, Object> ticket = ticket(message, host, "open");
    ticket.put("title", title(message, host));
    ticket.put("evidence", BodyShape.everything(message));
    ticket.put("link", message.link().toString());
    return ticket;
  }

  private static Map<String, Object> closed(Message message, String host) {
    Map<String, Object> ticket = ticket(message, host, "close");
    ticket.put("reason", message.reason());
    return ticket;
  }

  private static Map<String, Object> ticket(Message message, String host, String action) {
    Map<String, Object> ticket = new LinkedHashMap<>();
    ticket.put("action", action);
    ticket.put("key", "drydock/" + host);
    ticket.put("host", host);
    ticket.put("at", message.at().toString());
    return ticket;
  }

  private static String title(Message message, String host) {
    return message
        .failure()
        .map(failure -> "%s: %s".formatted(host, failure.getSignature()))
        .orElse(message.headline());
  }
}
