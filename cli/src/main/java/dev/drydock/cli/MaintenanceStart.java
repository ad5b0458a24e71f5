package dev.drydock.cli;

import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.HostLock;
import dev.drydock.proto.client.Values;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes one host for somebody to work on by hand, by the same rules as everybody. */
@Command(
    name = "start",
    description = {
      "Wait for a host and keep it for work by hand, until maintenance end.",
      "It stays yours when this command or your machine is gone."
    },
    mixinStandardHelpOptions = true)
final class MaintenanceStart implements Callable<Integer> {
  /** Asked for again while it waits; a place nobody asks for any more is lost after this. */
  private static final int WAIT_SECONDS = 60;

  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "HOST", description = "The host.")
  String host = "";

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "What is going to be done, for whoever waits and for the audit trail.")
  String reason = "";

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "5m",
      converter = Span.class,
      description = "Stay in the queue for at most this long (default: 5m).")
  Duration wait = Duration.ofMinutes(5);

  @Option(
      names = "--max",
      paramLabel = "TIME",
      defaultValue = "0",
      converter = Span.class,
      description =
          "After this long the host is verified: released if it is well, else quarantined.")
  Duration max = Duration.ZERO;

  MaintenanceStart(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient client = connection.open()) {
      HostLock lock = HostLock.ask(client, request(), BootClock.system());
      output.one(new QueueView(around).await(lock, wait), Views.LOCKS, Values::tree);
      around.err().println("drydock: end it by drydock host maintenance end " + host);
      return ExitCode.OK;
    } catch (CallException e) {
      throw Failure.of(e, LockAcquire::place);
    }
  }

  private TicketRequest request() {
    return new TicketRequest()
        .setHosts(Values.strings(List.of(host)))
        .setMode(TicketMode.Wait)
        .setHold(true)
        .setReason(reason)
        .setWaitSeconds(WAIT_SECONDS)
        .setMaxSeconds(Math.toIntExact(max.toSeconds()));
  }
}
