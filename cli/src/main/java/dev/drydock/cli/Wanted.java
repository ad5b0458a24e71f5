package dev.drydock.cli;

import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.Values;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which hosts a ticket is for, and why: the words that acquire and run have in common. */
final class Wanted {
  /** A ticket that is not renewed for so long leaves the queue: its command is gone. */
  private static final int WAIT_SECONDS = 60;

  @Parameters(
      arity = "0..*",
      paramLabel = "HOST",
      description = "Hosts, or instances such as web@h01; all or none.")
  List<String> targets = List.of();

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

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for whoever waits behind it and for the audit trail.")
  String reason = "";

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "5m",
      converter = Span.class,
      description = "Stay in the queue for at most this long (default: 5m); 0 only tries.")
  Duration wait = Duration.ofMinutes(5);

  @Option(
      names = "--max",
      paramLabel = "TIME",
      defaultValue = "0",
      converter = Span.class,
      description =
          "Hold it for at most this long, which is enforced; others may then be let pass before.")
  Duration max = Duration.ZERO;

  TicketRequest request(Duration lease) {
    if (targets.isEmpty() && zones.isEmpty()) {
      throw Failure.usage("name at least one HOST or --zone");
    }
    TicketRequest request =
        new TicketRequest()
            .setHosts(Values.strings(only(false)))
            .setInstances(Values.strings(only(true)))
            .setZones(Values.strings(zones))
            .setMode(wait.isZero() ? TicketMode.Try : TicketMode.Wait)
            .setReason(reason)
            .setWaitSeconds(WAIT_SECONDS)
            .setLeaseSeconds(Math.toIntExact(lease.toSeconds()))
            .setMaxSeconds(Math.toIntExact(max.toSeconds()));
    return applications.isEmpty() ? request : request.setApplications(Values.strings(applications));
  }

  private List<String> only(boolean instances) {
    return targets.stream().filter(target -> target.contains("@") == instances).toList();
  }
}
