package dev.drydock.cli.webhook;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * For whoever repairs machines: a ticket per host that its rollout gave up, with all that was found
 * and tried. A host has one at a time, under the same key.
 */
final class TicketShape implements BodyShape {

  @Override
  public Optional<Map<String, Object>> tree(Message message) {
    return message.kind().equals("HostQuarantined")
        ? message.host().map(host -> opened(message, host))
        : Optional.empty();
  }

  private static Map<String, Object> opened(Message message, String host) {
    Map<String, Object> ticket = new LinkedHashMap<>();
    ticket.put("action", "open");
    ticket.put("key", "drydock/" + host);
    ticket.put("host", host);
    ticket.put("at", message.at().toString());
    ticket.put("title", title(message, host));
    ticket.put("evidence", BodyShape.everything(message));
    ticket.put("link", message.link().toString());
    return ticket;
  }

  private static String title(Message message, String host) {
    return message
        .failure()
        .map(failure -> "%s: %s".formatted(host, failure.getSignature()))
        .orElse(message.headline());
  }
}
