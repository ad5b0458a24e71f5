package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.HostLock;
import dev.drydock.proto.client.WireCollections;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes hosts now or says why not. The lock lives by its lease; nobody renews it here. */
@Command(
    name = "try",
    description = "Lock hosts now, all or none, or say why not.",
    mixinStandardHelpOptions = true)
final class LockTry implements Callable<Integer> {
  /** Longer means that no grantor runs. */
  private static final Duration VERDICT_MAX = Duration.ofSeconds(15);

  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Mixin final TicketTargets targets = new TicketTargets();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for the audit trail.")
  String reason = "";

  @Option(
      names = "--lease",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "Length of the lease (default: 15).")
  int lease = 15;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "The same id again answers the same ticket.")
  @Nullable String requestId;

  LockTry(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient client = connection.openWithoutRetries()) {
      HostLock asked = HostLock.of(client, request(), BootClock.system());
      Lock lock = asked.await(VERDICT_MAX, waiting -> {});
      output.one(lock, TableViews.LOCKS, WireCollections::tree);
      return switch (lock.getState()) {
        case Held -> ExitCode.OK;
        case Waiting -> {
          around
              .err()
              .println(
                  "drydock: no verdict within "
                      + VERDICT_MAX.toSeconds()
                      + " s: does a grantor run? ticket "
                      + lock.getId()
                      + " was withdrawn");
          yield ExitCode.TIMED_OUT;
        }
        default -> {
          around.err().println("drydock: refused: " + lock.getExplanation());
          yield ExitCode.REFUSED;
        }
      };
    } catch (CallException e) {
      throw CommandFailure.of(e, LockTermsOptions::place);
    }
  }

  private TicketRequest request() {
    if (targets.isEmpty()) {
      throw CommandFailure.usage("name at least one HOST");
    }
    TicketRequest request =
        targets
            .into(new TicketRequest())
            .setMode(TicketMode.Try)
            .setReason(reason)
            .setLeaseSeconds(lease);
    return requestId == null ? request : request.setRequestId(requestId);
  }
}
