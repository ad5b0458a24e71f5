package dev.drydock.cli;

import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "HOST", description = "The host.")
  String host = "";

  @Mixin final LockTermsOptions terms = new LockTermsOptions();

  MaintenanceStart(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient client = connection.openWithoutRetries();
        CommandLock commandLock = new CommandLock(around, client, request())) {
      output.one(commandLock.await(terms.wait), TableViews.LOCKS, WireCollections::tree);
      commandLock.leave();
      around.err().println("drydock: end it by drydock host maintenance end " + host);
      return ExitCode.OK;
    }
  }

  private TicketRequest request() {
    if (terms.wait.isZero()) {
      throw CommandFailure.usage(
          "--wait is at least 1s: maintenance stands in the queue like everybody");
    }
    return terms.request().setHosts(WireCollections.strings(List.of(host))).setHold(true);
  }
}
