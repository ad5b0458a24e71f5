package dev.drydock.cli;

import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.WireCollections;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which hosts a session lock is for, and why: the words that acquire and run have in common. */
final class SessionLockOptions {
  @Mixin final TicketTargets targets = new TicketTargets();
  @Mixin final LockTermsOptions terms = new LockTermsOptions();

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "Also all hosts of this fault zone; may be given again.")
  List<String> zones = List.of();

  @Option(
      names = "--application",
      paramLabel = "NAME",
      description = "Takes down only this application (default: all on the hosts); again for more.")
  List<String> applications = List.of();

  TicketRequest request(Duration lease) {
    if (targets.isEmpty() && zones.isEmpty()) {
      throw CommandFailure.usage("name at least one HOST or --zone");
    }
    TicketRequest request =
        targets
            .into(terms.request())
            .setZones(WireCollections.strings(zones))
            .setLeaseSeconds(Math.toIntExact(lease.toSeconds()));
    return applications.isEmpty()
        ? request
        : request.setApplications(WireCollections.strings(applications));
  }
}
