package dev.drydock.cli;

import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The hosts a ticket names, some by an instance on them. */
final class TicketTargets {
  @Parameters(
      arity = "0..*",
      paramLabel = "HOST",
      description = "Hosts, or instances such as web@h01; all or none.")
  List<String> targets = List.of();

  boolean isEmpty() {
    return targets.isEmpty();
  }

  /** Puts them into the request. */
  TicketRequest into(TicketRequest request) {
    return request
        .setHosts(WireCollections.strings(only(false)))
        .setInstances(WireCollections.strings(only(true)));
  }

  private List<String> only(boolean instances) {
    return targets.stream().filter(target -> target.contains("@") == instances).toList();
  }
}
