package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes hosts now or says why not. The lock lives by its lease; nobody renews it here. */
@Command(
    name = "try",
    description = "Lock hosts now, all or none, or say why not.",
    mixinStandardHelpOptions = true)
final class LockTry implements Callable<Integer> {
  private static final int WAIT_SECONDS = 15;

  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(
      arity = "1..*",
      paramLabel = "HOST",
      description = "Hosts, or instances such as web@h01.")
  List<String> targets = List.of();

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

  LockTry(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient client = connection.open()) {
      Lock lock = answer(client, client.createTicket(request()));
      output.one(lock, Views.LOCKS, Values::tree);
      return switch (lock.getState()) {
        case Held -> ExitCode.OK;
        case Waiting -> {
          around
              .err()
              .println("drydock: no verdict within " + WAIT_SECONDS + " s; ticket " + lock.getId());
          yield ExitCode.TIMED_OUT;
        }
        default -> {
          around.err().println("drydock: refused: " + lock.getExplanation());
          yield ExitCode.REFUSED;
        }
      };
    } catch (CallException e) {
      throw Failure.of(e, this::place);
    }
  }

  private TicketRequest request() {
    return new TicketRequest()
        .setRequestId(requestId == null ? UUID.randomUUID().toString() : requestId)
        .setHosts(Values.strings(hosts()))
        .setInstances(Values.strings(instances()))
        .setMode(TicketMode.Try)
        .setReason(reason)
        .setLeaseSeconds(lease);
  }

  private List<String> hosts() {
    return targets.stream().filter(target -> !target.contains("@")).toList();
  }

  private List<String> instances() {
    return targets.stream().filter(target -> target.contains("@")).toList();
  }

  private String place(ErrorDetail detail) {
    return detail.getPath().equals("reason") ? "--reason" : detail.getPath();
  }

  private static Lock answer(DrydockClient client, String ticket) throws InterruptedException {
    long end = System.nanoTime() + WAIT_SECONDS * 1_000_000_000L;
    Lock lock = client.lock(ticket);
    while (lock.getState() == LockState.Waiting && System.nanoTime() < end) {
      Thread.sleep(200);
      lock = client.lock(ticket);
    }
    return lock;
  }
}
