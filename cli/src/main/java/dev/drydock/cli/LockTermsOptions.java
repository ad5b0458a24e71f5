package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Why hosts are asked for, how long to wait for them, and how long they are held at most. */
final class LockTermsOptions {
  /** A ticket that is not renewed for so long leaves the queue: its command is gone. */
  private static final int WAIT_SECONDS = 60;

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
      converter = DurationParser.class,
      description = "Stay in the queue for at most this long (default: 5m); 0 only tries.")
  Duration wait = Duration.ofMinutes(5);

  @Option(
      names = "--max",
      paramLabel = "TIME",
      defaultValue = "0",
      converter = DurationParser.class,
      description =
          "Hold it for at most this long, which is enforced; others may then be let pass before."
              + " A host in maintenance is then verified: released if it is well, else quarantined.")
  Duration max = Duration.ZERO;

  TicketRequest request() {
    return new TicketRequest()
        .setMode(wait.isZero() ? TicketMode.Try : TicketMode.Wait)
        .setReason(reason)
        .setWaitSeconds(WAIT_SECONDS)
        .setMaxSeconds(Math.toIntExact(max.toSeconds()));
  }

  /** The option that a field of the request came from. */
  static String place(ErrorDetail detail) {
    return switch (detail.getPath()) {
      case "reason" -> "--reason";
      case "leaseSeconds" -> "--lease";
      case "maxSeconds" -> "--max";
      default -> detail.getPath().startsWith("zones") ? "--zone" : detail.getPath();
    };
  }
}
